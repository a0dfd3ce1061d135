import { decodeRows, type LogBlock } from '@triphammer/logs';
import type { TailEvent } from './live-tails';

/** No proxy may hold the events back, or change them. The connection ends with the stream, so that a server that stops need not wait for it. */
export const EVENT_STREAM_HEADERS = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no', connection: 'close' };

/**
 * A followed log as an event stream: `row` with `{index, time, content}` and the index as its id, `end` when nothing will come.
 * Something is sent at once and, as comments, while nothing comes, so that both sides see that the other is there.
 */
export async function* serverSentEvents(events: AsyncIterable<TailEvent>): AsyncGenerator<string> {
  yield 'retry: 1000\n\n';
  for await (const event of events) {
    if (event === 'idle') yield ': nothing new\n\n';
    else if (event === 'end') yield 'event: end\ndata: {}\n\n';
    else yield rowEvents(event);
  }
}

/** The row after the last one that a reader has seen, by the id it comes back with; undefined when it has seen none. */
export function resumeAt(lastEventId: string | string[] | undefined): number | undefined {
  return typeof lastEventId === 'string' && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) + 1 : undefined;
}

function rowEvents(block: LogBlock): string {
  return decodeRows(block.text)
    .map((row, at) => {
      const index = block.start + at;
      return `id: ${index}\nevent: row\ndata: ${JSON.stringify({ index, ...row })}\n\n`;
    })
    .join('');
}
