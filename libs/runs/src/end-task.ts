import type { Tx } from '@triphammer/models';
import { finishJob } from './report-task';
import { announceReleased } from './announce-released';

interface EndedTask {
  readonly jobId: number;
  readonly runId: number;
}

/**
 * Gives up a task of which nothing was heard: its job waits again, in the same attempt, for a new task. False when the
 * runner reported after all. A late report of the old task is answered with a cancellation.
 */
export async function abandonTask(tx: Tx, taskId: number, now: Date): Promise<boolean> {
  const ended = await tx.sql.query<EndedTask>({
    name: 'task-abandon',
    text: `update task set status = 'abandoned', stopped_at = $2 where id = $1 and status = 'claimed' and heard_at is null
           returning job_id as "jobId", run_id as "runId"`,
    values: [taskId, now],
  });
  const task = ended.rows[0];
  if (!task) return false;
  const job = await tx.sql.query<{ id: number; runId: number; labelKey: number; ownerId: number; repositoryId: number }>({
    name: 'job-wait-again',
    text: `update job set status = 'waiting', task_id = null, started_at = null, released_at = $3
            where id = $1 and task_id = $2 and status = 'running'
           returning id, run_id as "runId", label_key as "labelKey", owner_id as "ownerId", repository_id as "repositoryId"`,
    values: [task.jobId, taskId, now],
  });
  await announceReleased(tx, job.rows);
  return true;
}

/** Ends a live task for a reason of ours, and its job with it; false when it is over already. Its runner hears of it at its next report. */
export async function endTask(tx: Tx, taskId: number, status: 'failure' | 'cancelled', reason: string, now: Date): Promise<boolean> {
  const ended = await tx.sql.query<EndedTask>({
    name: 'task-end',
    text: `update task set status = $2, stopped_at = $3 where id = $1 and status in ('claimed', 'running', 'cancelling')
           returning job_id as "jobId", run_id as "runId"`,
    values: [taskId, status, now],
  });
  const task = ended.rows[0];
  if (!task) return false;
  await finishJob(tx, task, status, now, reason);
  return true;
}
