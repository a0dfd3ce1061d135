import { publish } from '@triphammer/events';
import type { Tx } from '@triphammer/models';
import type { RunStatus } from '@triphammer/models/runs';
import { endTask } from './end-task';
import { resolveRun } from './resolve-run';
import { JOB_MAY_COME_FROM, LIVE_TASK } from './status';

const REASON = 'The run was cancelled.';

/**
 * Cancels what is left of a run's latest attempt. A job that no runner has ends at once. One that runs ends at once too,
 * unless its runner has begun and says that it can wind a task down (`cancelling`): then it stays `cancelling` until the runner
 * reports its end. A run that is over, or being cancelled, stays as it is.
 */
export async function cancelRun(tx: Tx, runId: number, now: Date): Promise<void> {
  const attemptId = await lockLatestAttempt(tx, runId);
  if (attemptId === undefined) return;
  // Tasks before jobs, as a runner's report takes them.
  const tasks = await lockLiveTasks(tx, attemptId);
  const jobs = await lockOpenJobs(tx, attemptId);
  await cancelJobs(
    tx,
    runId,
    jobs.filter((job) => job.status === 'blocked' || job.status === 'waiting').map((job) => job.id),
    now,
  );
  const windingDown = tasks.filter((task) => task.windsDown);
  await windDown(
    tx,
    windingDown.map((task) => task.id),
  );
  const kept = new Set(windingDown.map((task) => task.id));
  // A job that was claimed between the two locks has a task that the first did not see; its runner has not begun.
  for (const { taskId } of jobs) {
    if (taskId !== null && !kept.has(taskId)) await endTask(tx, taskId, 'cancelled', REASON, now);
  }
  await resolveRun(tx, runId, now);
}

/** The run's own lock first: it is what `resolveRun` takes, so a resolution under way is waited for. */
async function lockLatestAttempt(tx: Tx, runId: number): Promise<number | undefined> {
  await tx.sql.query({ name: 'run-lock-to-cancel', text: 'select id from run where id = $1 for update', values: [runId] });
  const found = await tx.sql.query<{ id: number }>({
    name: 'attempt-of-run',
    text: 'select attempt.id from attempt join run on run.id = attempt.run_id and run.attempt_number = attempt.number where run.id = $1',
    values: [runId],
  });
  return found.rows[0]?.id;
}

interface LiveTask {
  readonly id: number;
  /** Its runner was heard of and ends tasks in its own time; the first is not known of a task that was only handed out. */
  readonly windsDown: boolean;
}

async function lockLiveTasks(tx: Tx, attemptId: number): Promise<readonly LiveTask[]> {
  const found = await tx.sql.query<LiveTask>({
    name: 'tasks-lock-live',
    text: `select task.id, task.heard_at is not null and 'cancelling' = any(runner.capabilities) as "windsDown"
             from job join task on task.id = job.task_id join runner on runner.id = task.runner_id
            where job.attempt_id = $1 and task.status = any($2) order by task.id for update of task`,
    values: [attemptId, LIVE_TASK],
  });
  return found.rows;
}

interface OpenJob {
  readonly id: number;
  readonly status: RunStatus;
  readonly taskId: number | null;
}

async function lockOpenJobs(tx: Tx, attemptId: number): Promise<readonly OpenJob[]> {
  const found = await tx.sql.query<OpenJob>({
    name: 'jobs-lock-open',
    text: `select id, status, task_id as "taskId" from job
            where attempt_id = $1 and status in ('blocked', 'waiting', 'running') order by id for update`,
    values: [attemptId],
  });
  return found.rows;
}

async function cancelJobs(tx: Tx, runId: number, jobIds: readonly number[], now: Date): Promise<void> {
  if (jobIds.length === 0) return;
  const cancelled = await tx.sql.query<{ id: number }>({
    name: 'jobs-cancel',
    text: `update job set status = 'cancelled', stopped_at = $2, reason = '${REASON}' where id = any($1) and status = any($3) returning id`,
    values: [jobIds, now, JOB_MAY_COME_FROM.cancelled],
  });
  await publish(
    tx,
    'job.finished',
    cancelled.rows.map(({ id }) => ({ runId, jobId: id })),
  );
}

async function windDown(tx: Tx, taskIds: readonly number[]): Promise<void> {
  if (taskIds.length === 0) return;
  await tx.sql.query({
    name: 'tasks-wind-down',
    text: `with winding as (update task set status = 'cancelling' where id = any($1) and status in ('claimed', 'running') returning id)
           update job set status = 'cancelling', reason = '${REASON}' from winding where job.task_id = winding.id and job.status = any($2)`,
    values: [taskIds, JOB_MAY_COME_FROM.cancelling],
  });
}
