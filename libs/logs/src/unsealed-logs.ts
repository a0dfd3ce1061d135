import type { Sql } from '@triphammer/models';

/** Logs that were complete before that time and are not sealed. */
export async function unsealedLogs(sql: Sql, completedBefore: Date, limit: number): Promise<readonly number[]> {
  const found = await sql.query<{ taskId: number }>({
    name: 'log-unsealed',
    text: `select task_id as "taskId" from task_log
            where is_complete and archive_digest is null and completed_at < $1 order by completed_at limit $2`,
    values: [completedBefore, limit],
  });
  return found.rows.map((row) => row.taskId);
}
