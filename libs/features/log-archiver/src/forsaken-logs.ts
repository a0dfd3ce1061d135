import type { Sql } from '@triphammer/models';

export interface ForsakenLog {
  readonly taskId: number;
  /** How the task ended. */
  readonly status: string;
  readonly stoppedAt: Date;
}

/** Logs that are not complete although their task ended before that time. */
export async function findForsakenLogs(sql: Sql, stoppedBefore: Date, limit: number): Promise<readonly ForsakenLog[]> {
  const found = await sql.query<ForsakenLog>({
    name: 'logs-forsaken',
    text: `select task.id as "taskId", task.status, task.stopped_at as "stoppedAt"
             from task_log join task on task.id = task_log.task_id
            where not task_log.is_complete and task.status not in ('claimed', 'running', 'cancelling') and task.stopped_at < $1
            order by task.id limit $2`,
    values: [stoppedBefore, limit],
  });
  return found.rows;
}
