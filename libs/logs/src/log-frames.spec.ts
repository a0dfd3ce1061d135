import { Decoder } from '@toondepauw/node-zstd';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countRows, type LogBlock } from './log-block';
import { encodeArchive, type LogFrame } from './log-frames';

async function* blocksOf(texts: readonly string[]): AsyncGenerator<LogBlock> {
  let start = 0;
  for (const text of texts) {
    const block = { start, rows: countRows(Buffer.from(text)), text: Buffer.from(text) };
    start += block.rows;
    yield block;
  }
}

async function archive(texts: readonly string[], encoding: 'zstd' | 'none'): Promise<{ object: Buffer; frames: LogFrame[] }> {
  const frames: LogFrame[] = [];
  const parts: Buffer[] = [];
  for await (const part of encodeArchive(blocksOf(texts), encoding, (frame) => frames.push(frame))) parts.push(part);
  return { object: Buffer.concat(parts), frames };
}

const LINES = Array.from({ length: 9_000 }, (_, at) => `line ${at} of a log that fills more than one frame, ${Math.imul(at, 2_654_435_761) >>> 0}\n`);
const TEXT = LINES.join('');

describe('an archive', () => {
  it('has frames of whole rows, each at most 128 KiB before compression', async () => {
    const { frames } = await archive([TEXT], 'zstd');

    const texts = await Promise.all(frames.map((frame) => new Decoder().decode(frame.bytes)));
    expect(Buffer.concat(texts).toString()).toBe(TEXT);
    expect(texts.length).toBe(Math.ceil(TEXT.length / (128 * 1024)));
    expect(texts.every((text) => text.length <= 128 * 1024 && text.at(-1) === 0x0a)).toBe(true);
    expect(frames.map((frame) => frame.rows)).toEqual(texts.map(countRows));
  });

  it('ends with the seek table of the zstd seekable format', async () => {
    const { object, frames } = await archive([TEXT], 'zstd');

    const footer = object.subarray(-9);
    expect([footer.readUInt32LE(0), footer.readUInt8(4), footer.readUInt32LE(5)]).toEqual([frames.length, 0, 0x8f92eab1]);
    const table = object.subarray(-9 - 8 * frames.length - 8);
    expect([table.readUInt32LE(0), table.readUInt32LE(4)]).toEqual([0x184d2a5e, table.length - 8]);
    let at = 0;
    for (let frame = 0; frame < frames.length; frame += 1) {
      const [stored, size] = [table.readUInt32LE(8 + 8 * frame), table.readUInt32LE(12 + 8 * frame)];
      expect((await new Decoder().decode(object.subarray(at, at + stored))).length).toBe(size);
      at += stored;
    }
    expect(at).toBe(object.length - table.length);
  });

  it('is the plain text when it is not compressed, with frames of the same rows', async () => {
    const plain = await archive([TEXT], 'none');
    const zstd = await archive([TEXT], 'zstd');

    expect(plain.object.toString()).toBe(TEXT);
    expect(plain.frames.map((frame) => frame.rows)).toEqual(zstd.frames.map((frame) => frame.rows));
  });

  it('is the same whatever blocks its rows come in', async () => {
    const whole = await archive([TEXT], 'zstd');

    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: LINES.length - 1 }), { maxLength: 20 }), async (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), LINES.length];
        const texts = edges.slice(1).map((edge, at) => LINES.slice(edges[at], edge).join(''));
        expect((await archive(texts, 'zstd')).object.equals(whole.object)).toBe(true);
      }),
      { numRuns: 10 },
    );
  });

  it('gives a row that is longer than a frame one of its own', async () => {
    const { frames } = await archive(['a\nb\n', `${'x'.repeat(200_000)}\n`, 'c\n'], 'none');

    expect(frames.map((frame) => [frame.rows, frame.bytes.length])).toEqual([
      [2, 4],
      [1, 200_001],
      [1, 2],
    ]);
  });

  it('of no rows is a table of no frames', async () => {
    const { object, frames } = await archive([], 'zstd');

    expect(frames).toEqual([]);
    expect(object).toHaveLength(17);
  });
});
