import { describe, expect, it } from '@jest/globals';
import { readEvents, type ServerEvent } from './server-events';

async function eventsOf(...chunks: readonly Uint8Array[]): Promise<readonly ServerEvent[]> {
  async function* body() {
    yield* chunks;
  }
  const events = [];
  for await (const event of readEvents(body())) events.push(event);
  return events;
}

const STREAM = 'retry: 1000\n\n: nothing new\n\nid: 4\nevent: row\ndata: {"content":"ü"}\n\ndata: one\r\ndata:two\r\n\r\nevent: end\ndata: {}\n\n';
const EVENTS = [
  { type: 'row', data: '{"content":"ü"}' },
  { type: 'message', data: 'one\ntwo' },
  { type: 'end', data: '{}' },
];

describe('an event stream', () => {
  it('is read without its comments', async () => {
    expect(await eventsOf(Buffer.from(STREAM))).toEqual(EVENTS);
  });

  it('is read the same however it is cut into pieces', async () => {
    const bytes = Buffer.from(STREAM);
    const pieces = Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1));

    expect(await eventsOf(...pieces)).toEqual(EVENTS);
  });

  it('that breaks off loses what it had begun', async () => {
    expect(await eventsOf(Buffer.from('data: whole\n\ndata: half\n'))).toEqual([{ type: 'message', data: 'whole' }]);
  });
});
