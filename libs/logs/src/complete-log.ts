import { gzipSync } from 'node:zlib';
import { publish } from '@triphammer/events';
import type { Tx } from '@triphammer/models';
import { encodeRow, logTimeOf } from './log-row';
import { storedRows } from './plan-append';

/**
 * Ends a log whose runner did not, with a last row of ours that says why; publishes `log.completed`. Returns false when there is
 * no such log, or it is complete already. Rows that still come are answered with what is stored, and not taken.
 */
export async function completeLog(tx: Tx, taskId: number, reason: string, now: Date): Promise<boolean> {
  const row = encodeRow({ time: logTimeOf(now), content: reason });
  const completed = await tx.sql.query<{ rows: number; droppedRows: number }>({
    name: 'log-complete',
    text: `update task_log set rows = rows + 1, bytes = bytes + $2, is_complete = true, completed_at = $3
            where task_id = $1 and not is_complete returning rows, dropped_rows as "droppedRows"`,
    values: [taskId, Buffer.byteLength(row), now],
  });
  const [tail] = completed.rows;
  if (!tail) return false;
  await tx.sql.query({
    name: 'log-complete-row',
    text: 'insert into task_log_chunk (task_id, start_index, rows, data) values ($1, $2, 1, $3)',
    values: [taskId, storedRows(tail) - 1, gzipSync(row)],
  });
  await publish(tx, 'log.completed', [{ taskId }]);
  return true;
}
