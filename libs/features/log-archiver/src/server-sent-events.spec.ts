import { describe, expect, it } from '@jest/globals';
import type { TailEvent } from './live-tails';
import { resumeAt, serverSentEvents } from './server-sent-events';

async function stream(events: readonly TailEvent[]): Promise<string> {
  let text = '';
  async function* source() {
    yield* events;
  }
  for await (const part of serverSentEvents(source())) text += part;
  return text;
}

const TIME = '2026-11-30T16:34:36.470724802Z';

describe('a followed log as server-sent events', () => {
  it('has an event for each row, comments while nothing comes, and an end', async () => {
    const block = { start: 7, rows: 2, text: Buffer.from(`${TIME} a\0\r"\u2028\n${TIME} b\x10nc\n`) };

    expect(await stream([block, 'idle', 'end'])).toBe(
      [
        'retry: 1000',
        `id: 7\nevent: row\ndata: {"index":7,"time":"${TIME}","content":"a\\u0000\\r\\"\u2028"}`,
        `id: 8\nevent: row\ndata: {"index":8,"time":"${TIME}","content":"b\\nc"}`,
        ': nothing new',
        'event: end\ndata: {}',
        '',
      ].join('\n\n'),
    );
  });

  it.each<[string | string[] | undefined, number | undefined]>([
    ['0', 1],
    ['99', 100],
    [undefined, undefined],
    ['', undefined],
    ['-1', undefined],
    ['abc', undefined],
    ['9'.repeat(40), undefined],
    [['1', '2'], undefined],
  ])('goes on, for the last event id %j, at %j', (id, at) => {
    expect(resumeAt(id)).toBe(at);
  });
});
