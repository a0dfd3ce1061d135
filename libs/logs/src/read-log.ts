import { gunzipSync } from 'node:zlib';
import type { BlobStore } from '@triphammer/blob-store';
import { Failure } from '@triphammer/foundation';
import type { Sql } from '@triphammer/models';
import type { LogEncoding } from '@triphammer/models/logs';
import { type LogBlock, sliceBlock } from './log-block';
import { storedRows } from './plan-append';
import { type Archive, readArchive } from './read-archive';

export interface LogSource {
  readonly sql: Sql;
  readonly blobs: BlobStore;
}

/** What can be read of a log. */
export interface LogState {
  readonly rows: number;
  /** Nothing will be added. */
  readonly isComplete: boolean;
  /** Undefined while the rows lie in the database. */
  readonly archive: Archive | undefined;
}

export interface RowRange {
  /** The first row, counted from 0. */
  readonly from: number;
  /** The row behind the last one. */
  readonly to: number;
}

interface HotChunk {
  readonly start: number;
  readonly rows: number;
  /** gzip */
  readonly data: Buffer;
}

interface StateRow {
  readonly rows: number;
  readonly droppedRows: number;
  readonly isComplete: boolean;
  readonly digest: string | null;
  readonly encoding: LogEncoding;
  readonly size: number;
  readonly frameRows: number[];
  readonly frameBytes: number[];
}

const STATE_COLUMNS = `log.rows, log.dropped_rows as "droppedRows", log.is_complete as "isComplete", log.archive_digest as digest,
  log.archive_encoding as encoding, log.archive_size as size, log.archive_frame_rows as "frameRows", log.archive_frame_bytes as "frameBytes"`;
/** How many chunks one query reads at most: of those that are small, as a quiet job makes them. */
const CHUNKS_A_READ = 64;
/** Of larger ones only as many as have this many bytes together, compressed, and one at least. */
const BYTES_A_READ = 128 * 1024;

/** How far a log is, without what a reader of its rows needs. */
export type LogProgress = Pick<LogState, 'rows' | 'isComplete'>;

/** Of those tasks that have a log. */
export async function readProgress(sql: Sql, taskIds: readonly number[]): Promise<ReadonlyMap<number, LogProgress>> {
  const found = await sql.query<{ taskId: number; rows: number; droppedRows: number; isComplete: boolean }>({
    name: 'log-progress',
    text: `select task_id as "taskId", rows, dropped_rows as "droppedRows", is_complete as "isComplete" from task_log where task_id = any($1)`,
    values: [taskIds],
  });
  return new Map(found.rows.map(({ taskId, isComplete, ...tail }) => [taskId, { rows: storedRows(tail), isComplete }]));
}

/** Undefined: nothing was ever logged by this task. */
export async function readLogState(sql: Sql, taskId: number): Promise<LogState | undefined> {
  const text = `select ${STATE_COLUMNS} from task_log as log where task_id = $1`;
  const found = await sql.query<StateRow>({ name: 'log-state', text, values: [taskId] });
  return found.rows[0] && toState(found.rows[0]);
}

/**
 * The rows of that range that are stored, in order and in blocks of bounded size, whether they are hot or archived, also when the
 * log is sealed meanwhile. Costs by what is read, not by what lies before it. Throws `not-found` when the archive object is gone.
 */
export async function* readRows(source: LogSource, taskId: number, range: RowRange): AsyncGenerator<LogBlock> {
  let at = range.from;
  for (;;) {
    const { state, chunks } = await readHot(source.sql, taskId, at);
    if (state?.archive) return yield* readArchive(source.blobs, state.archive, { from: at, to: range.to });
    const end = Math.min(range.to, state?.rows ?? 0);
    if (at >= end) return;
    const begin = at;
    for (const chunk of chunks) {
      if (chunk.start > at) break;
      const block = sliceBlock({ start: chunk.start, rows: chunk.rows, text: gunzipSync(chunk.data) }, at, end);
      at += block.rows;
      if (block.rows > 0) yield block;
      if (at >= end) return;
    }
    if (at === begin) throw new Failure('corrupt', `The log of task ${taskId} lacks row ${at}.`);
  }
}

/** State and chunks by one statement: between two the log might be sealed, and its chunks be gone. */
async function readHot(sql: Sql, taskId: number, from: number): Promise<{ readonly state: LogState | undefined; readonly chunks: readonly HotChunk[] }> {
  const found = await sql.query<StateRow & { start: number; chunkRows: number; data: Buffer | null }>({
    name: 'log-read-hot',
    text: `select ${STATE_COLUMNS}, chunk.start_index as start, chunk.rows as "chunkRows", chunk.data
             from task_log as log
             left join (
               select *, sum(octet_length(data)) over (order by start_index) - octet_length(data) as bytes_before
                 from (select start_index, rows, data from task_log_chunk
                        where task_id = $1
                          and start_index >= (select coalesce(max(start_index), 0) from task_log_chunk where task_id = $1 and start_index <= $2)
                        order by start_index limit ${CHUNKS_A_READ}) as following
             ) as chunk on chunk.bytes_before < ${BYTES_A_READ}
            where log.task_id = $1
            order by chunk.start_index`,
    values: [taskId, from],
  });
  const chunks = found.rows.flatMap(({ start, chunkRows, data }) => (data === null ? [] : [{ start, rows: chunkRows, data }]));
  return { state: found.rows[0] && toState(found.rows[0]), chunks };
}

function toState({ digest, encoding, size, frameRows, frameBytes, isComplete, ...tail }: StateRow): LogState {
  const archive = digest === null ? undefined : { digest, encoding, size, frameRows, frameBytes };
  return { rows: storedRows(tail), isComplete, archive };
}
