import type { Sql, Tx } from '@triphammer/models';

export interface OverdueTask {
  readonly taskId: number;
  readonly timeoutMinutes: number;
  /** It was told to stop and did not: it ends cancelled and not failed. */
  readonly isCancelling: boolean;
}

/** What one sweep takes on at most; the next turn takes the rest. */
const BATCH = 200;

/** Tasks handed out before `claimedBefore` of which nothing was heard since. Locked; rows that another replica holds are passed over. */
export async function findUnconfirmedTasks(tx: Tx, claimedBefore: Date): Promise<readonly number[]> {
  const found = await tx.sql.query<{ id: number }>({
    name: 'tasks-unconfirmed',
    text: `select id from task where status = 'claimed' and heard_at is null and claimed_at < $1 order by id limit ${BATCH} for update skip locked`,
    values: [claimedBefore],
  });
  return found.rows.map((row) => row.id);
}

/** Running tasks last heard of before `heardBefore`. Locked; rows that another replica holds are passed over. */
export async function findSilentTasks(tx: Tx, heardBefore: Date): Promise<readonly number[]> {
  const found = await tx.sql.query<{ id: number }>({
    name: 'tasks-silent',
    text: `select id from task where status in ('claimed', 'running', 'cancelling') and heard_at < $1 order by id limit ${BATCH} for update skip locked`,
    values: [heardBefore],
  });
  return found.rows.map((row) => row.id);
}

/** Running tasks that are beyond their job's `timeout-minutes`. Locked; rows that another replica holds are passed over. */
export async function findOverdueTasks(tx: Tx, now: Date): Promise<readonly OverdueTask[]> {
  const found = await tx.sql.query<OverdueTask>({
    name: 'tasks-overdue',
    text: `select task.id as "taskId", job.timeout_minutes as "timeoutMinutes",
                  task.status = 'cancelling' as "isCancelling" from task join job on job.id = task.job_id
            where task.status in ('claimed', 'running', 'cancelling') and task.started_at + job.timeout_minutes * interval '1 minute' < $1
            order by task.id limit ${BATCH} for update of task skip locked`,
    values: [now],
  });
  return found.rows;
}

/** Records that these tasks were heard of, in one statement for many; an earlier time never replaces a later one. */
export async function noteHeard(sql: Sql, taskIds: readonly number[], now: Date): Promise<void> {
  if (taskIds.length === 0) return;
  await sql.query({
    name: 'tasks-note-heard',
    text: `update task set heard_at = $2 where id = any($1) and status in ('claimed', 'running', 'cancelling') and (heard_at is null or heard_at < $2)`,
    values: [taskIds, now],
  });
}

/** The same for runners that called. */
export async function noteSeen(sql: Sql, runnerIds: readonly number[], now: Date): Promise<void> {
  if (runnerIds.length === 0) return;
  await sql.query({ name: 'runners-note-seen', text: 'update runner set last_seen_at = $2 where id = any($1)', values: [runnerIds, now] });
}
