import { Encoder } from '@toondepauw/node-zstd';
import type { LogEncoding } from '@triphammer/models/logs';
import { countRows, type LogBlock } from './log-block';

/** A part of an archive that can be read without the rest. It holds whole rows. */
export interface LogFrame {
  readonly rows: number;
  /** As stored. */
  readonly bytes: Buffer;
}

interface FrameText {
  readonly rows: number;
  readonly text: Buffer;
}

/** Uncompressed. Larger frames compress hardly better, and each page of a log reads one. A row that is longer has its own. */
const FRAME_BYTES = 128 * 1024;
const ZSTD_LEVEL = 3;
const LINE_FEED = 0x0a;

/**
 * The archive object, part by part: frames, and for zstd at its end the table that makes it a file in the zstd seekable format. The
 * same rows give the same bytes, however they are cut into blocks. `onFrame` hears of each frame before it is handed on.
 */
export async function* encodeArchive(blocks: AsyncIterable<LogBlock>, encoding: LogEncoding, onFrame: (frame: LogFrame) => void): AsyncGenerator<Buffer> {
  const encoder = new Encoder(ZSTD_LEVEL);
  const sizes: FrameSize[] = [];
  for await (const { rows, text } of frameTexts(blocks)) {
    const bytes = encoding === 'zstd' ? await encoder.encode(text) : text;
    sizes.push({ stored: bytes.length, text: text.length });
    onFrame({ rows, bytes });
    yield bytes;
  }
  if (encoding === 'zstd') yield seekTable(sizes);
}

async function* frameTexts(blocks: AsyncIterable<LogBlock>): AsyncGenerator<FrameText> {
  let parts: Buffer[] = [];
  let size = 0;
  const flush = (): FrameText => {
    const text = Buffer.concat(parts);
    parts = [];
    size = 0;
    return { rows: countRows(text), text };
  };
  for await (const { text } of blocks) {
    let at = 0;
    while (at < text.length) {
      const end = fitting(text, at, FRAME_BYTES - size);
      if (end > at) {
        parts.push(text.subarray(at, end));
        size += end - at;
        at = end;
      } else if (size > 0) {
        yield flush();
      } else {
        const longRowEnd = text.indexOf(LINE_FEED, at) + 1;
        parts.push(text.subarray(at, longRowEnd));
        at = longRowEnd;
        yield flush();
      }
    }
  }
  if (size > 0) yield flush();
}

/** Where the whole rows end that begin at `at` and have no more than `space` bytes. */
function fitting(text: Buffer, at: number, space: number): number {
  if (text.length - at <= space) return text.length;
  return space <= 0 ? at : Math.max(at, text.subarray(0, at + space).lastIndexOf(LINE_FEED) + 1);
}

interface FrameSize {
  readonly stored: number;
  readonly text: number;
}

const SKIPPABLE_MAGIC = 0x184d2a5e;
const SEEKABLE_MAGIC = 0x8f92eab1;
const HEADER_BYTES = 8;
const ENTRY_BYTES = 8;
const FOOTER_BYTES = 9;

/** zstd's contrib/seekable_format, version 0.1.0, without checksums. A plain decoder skips it. */
function seekTable(sizes: readonly FrameSize[]): Buffer {
  const table = Buffer.alloc(HEADER_BYTES + sizes.length * ENTRY_BYTES + FOOTER_BYTES);
  let at = table.writeUInt32LE(SKIPPABLE_MAGIC, 0);
  at = table.writeUInt32LE(table.length - HEADER_BYTES, at);
  for (const { stored, text } of sizes) {
    at = table.writeUInt32LE(stored, at);
    at = table.writeUInt32LE(text, at);
  }
  at = table.writeUInt32LE(sizes.length, at);
  at = table.writeUInt8(0, at);
  table.writeUInt32LE(SEEKABLE_MAGIC, at);
  return table;
}
