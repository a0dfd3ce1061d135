import { Readable } from 'node:stream';
import { type ApiRoute, ApiStream, apiRoute } from '@triphammer/api-kit';
import { type LogBlock, type LogSource, readRows } from '@triphammer/logs';
import { z } from 'zod';
import { followJob } from './follow-job';
import { findJobLog } from './job-log';
import type { LiveTails } from './live-tails';
import { EVENT_STREAM_HEADERS, resumeAt, serverSentEvents } from './server-sent-events';

export interface LogArchiverDeps {
  readonly source: LogSource;
  readonly tails: LiveTails;
}

const TEXT = 'text/plain; charset=utf-8';
const EVENT_STREAM = 'text/event-stream; charset=utf-8';
const rowNumber = z.coerce.number().int().min(0);

const readLog = apiRoute(
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/actions/jobs/{job_id}/logs',
    summary: "A job's log as text: a line is `<time> <content>`. `from` is the first row, counted from 0; `limit` is how many rows, all by default.",
    query: z.object({ from: rowNumber.default(0), limit: rowNumber.optional() }),
    contentType: TEXT,
  },
  async ({ source }: LogArchiverDeps, { parameters, query, signal }) => {
    const job = await findJobLog(source.sql, parameters);
    if (job.taskId === null) return new ApiStream('', TEXT);
    const to = query.limit === undefined ? Number.MAX_SAFE_INTEGER : query.from + query.limit;
    return new ApiStream(await textOf(readRows(source, job.taskId, { from: query.from, to }), signal), TEXT);
  },
);

const streamLog = apiRoute(
  {
    method: 'GET',
    path: '/repos/{owner}/{repo}/actions/jobs/{job_id}/logs/stream',
    summary:
      "A job's log as server-sent events, while it grows: `row` events with the row's index as id, then `end`. `from` is the first row; `Last-Event-ID` wins.",
    query: z.object({ from: rowNumber.default(0) }),
    contentType: EVENT_STREAM,
  },
  async ({ source, tails }: LogArchiverDeps, { parameters, query, signal, headers }) => {
    const job = await findJobLog(source.sql, parameters);
    const from = resumeAt(headers['last-event-id']) ?? query.from;
    const events = serverSentEvents(followJob({ sql: source.sql, tails }, job, from, signal));
    return new ApiStream(Readable.from(events, { objectMode: false }), EVENT_STREAM, EVENT_STREAM_HEADERS);
  },
);

/** The first block is read before anything is answered, so that a log that cannot be read is a refusal and not half an answer. */
async function textOf(blocks: AsyncGenerator<LogBlock>, signal: AbortSignal): Promise<Readable> {
  signal.addEventListener('abort', () => void blocks.return(undefined));
  const first = await blocks.next();
  async function* texts(): AsyncGenerator<Buffer> {
    if (first.done) return;
    yield first.value.text;
    for await (const block of blocks) yield block.text;
  }
  return Readable.from(texts(), { objectMode: false });
}

export const LOG_ARCHIVER_API: readonly ApiRoute<LogArchiverDeps>[] = [readLog, streamLog];
