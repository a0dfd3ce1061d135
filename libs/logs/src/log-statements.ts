import type { Sql } from '@triphammer/models';
import type { LogTail } from './plan-append';

/** What one task's log becomes, if it still is where the writer saw it. */
export interface TailMove {
  readonly taskId: number;
  readonly seenRows: number;
  readonly next: LogTail;
}

export interface StoredChunk {
  readonly taskId: number;
  readonly startIndex: number;
  readonly rows: number;
  /** gzip of encoded rows. */
  readonly data: Buffer;
}

/** Makes the logs that are missing, and tells how far each of them is. */
export async function openLogs(sql: Sql, taskIds: readonly number[]): Promise<ReadonlyMap<number, LogTail>> {
  await sql.query({
    name: 'log-open',
    text: `insert into task_log (task_id) select task_id from unnest($1::bigint[]) as opened (task_id) order by task_id on conflict do nothing`,
    values: [taskIds],
  });
  const found = await sql.query<LogTail & { taskId: number }>({
    name: 'log-tails',
    text: `select task_id as "taskId", rows, bytes, dropped_rows as "droppedRows", is_complete as "isComplete" from task_log where task_id = any($1)`,
    values: [taskIds],
  });
  return new Map(found.rows.map(({ taskId, ...tail }) => [taskId, tail]));
}

/**
 * Moves logs on and stores their chunks, all in one statement; returns the tasks whose log did move. One that another replica
 * has moved or ended meanwhile is left as it is: Postgres looks at the row again once it has the lock on it.
 */
export async function storeAppends(sql: Sql, moves: readonly TailMove[], chunks: readonly StoredChunk[], now: Date): Promise<ReadonlySet<number>> {
  // In one order on all replicas, so that two with the same tasks rarely deadlock; `transaction` repeats after one that does.
  const ordered = [...moves].sort((a, b) => a.taskId - b.taskId);
  const moved = await sql.query<{ task_id: number }>({
    name: 'log-store-appends',
    text: `with moved as (
             update task_log as log
                set rows = next.rows, bytes = next.bytes, dropped_rows = next.dropped_rows, is_complete = next.is_complete,
                    completed_at = case when next.is_complete then $7::timestamptz end
               from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::boolean[])
                    as next (task_id, seen_rows, rows, bytes, dropped_rows, is_complete)
              where log.task_id = next.task_id and log.rows = next.seen_rows and not log.is_complete
             returning log.task_id
           ), stored as (
             insert into task_log_chunk (task_id, start_index, rows, data)
             select chunk.task_id, chunk.start_index, chunk.rows, substring($12::bytea from chunk.at for chunk.length)
               from unnest($8::bigint[], $9::bigint[], $10::integer[], $11::integer[], $13::integer[])
                    as chunk (task_id, start_index, rows, at, length)
               join moved on moved.task_id = chunk.task_id
           )
           select task_id from moved`,
    values: [
      ordered.map((move) => move.taskId),
      ordered.map((move) => move.seenRows),
      ordered.map((move) => move.next.rows),
      ordered.map((move) => move.next.bytes),
      ordered.map((move) => move.next.droppedRows),
      ordered.map((move) => move.next.isComplete),
      now,
      ...chunkValues(chunks),
    ],
  });
  return new Set(moved.rows.map((row) => row.task_id));
}

/** All data as one value: pg sends a Buffer as it is, but an array of them as hexadecimal text. */
function chunkValues(chunks: readonly StoredChunk[]): unknown[] {
  let at = 1;
  const starts = chunks.map((chunk) => {
    const start = at;
    at += chunk.data.length;
    return start;
  });
  return [
    chunks.map((chunk) => chunk.taskId),
    chunks.map((chunk) => chunk.startIndex),
    chunks.map((chunk) => chunk.rows),
    starts,
    Buffer.concat(chunks.map((chunk) => chunk.data)),
    chunks.map((chunk) => chunk.data.length),
  ];
}
