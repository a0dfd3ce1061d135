import { publish } from '@triphammer/events';
import { Failure } from '@triphammer/foundation';
import type { Tx } from '@triphammer/models';
import type { StepStatus, TaskStatus } from '@triphammer/models/runs';
import { foldReport, isOver, type TaskVerdict } from './task-report';

export interface ReportedStep {
  readonly index: number;
  readonly status: StepStatus;
  readonly startedAt: Date | null;
  readonly stoppedAt: Date | null;
  readonly logIndex: number;
  readonly logLength: number;
}

/** A runner's account of its task, as UpdateTask brings it. */
export interface TaskReport {
  readonly taskId: number;
  /** The job's result; undefined while it goes on. */
  readonly result: 'success' | 'failure' | 'cancelled' | 'skipped' | undefined;
  readonly startedAt: Date | null;
  readonly stoppedAt: Date | null;
  readonly steps: readonly ReportedStep[];
  readonly outputs: Readonly<Record<string, string>>;
}

export interface ReportAnswer {
  /** `cancelled` tells the runner to stop. */
  readonly verdict: TaskVerdict;
  /** Every output key that is settled, stored or dropped: the runner sends a key again until it is named here. */
  readonly sentOutputs: readonly string[];
}

const MAX_OUTPUT_KEY_BYTES = 255;
const MAX_OUTPUT_VALUE_BYTES = 1024 * 1024;
const MAX_STEPS = 1_000;

/**
 * Takes a report into the task and, with its result, into the job; repeating it changes nothing. A task of another
 * runner, or of none, is `not-found`: neither tells whether it exists.
 */
export async function reportTask(tx: Tx, runnerId: number, report: TaskReport, now: Date): Promise<ReportAnswer> {
  const task = await lockTask(tx, report.taskId, runnerId);
  const { next, verdict } = foldReport(task.status, report.result);
  if (isOver(task.status)) return { verdict, sentOutputs: await knownOutputs(tx, report) };
  await storeSteps(tx, report);
  await storeOutputs(tx, report);
  await moveTask(tx, report, next, now);
  if (isOver(next)) await finishJob(tx, task, next, report.stoppedAt ?? now);
  return { verdict, sentOutputs: await knownOutputs(tx, report) };
}

interface LockedTask {
  readonly jobId: number;
  readonly runId: number;
  readonly status: TaskStatus;
}

async function lockTask(tx: Tx, taskId: number, runnerId: number): Promise<LockedTask> {
  const found = await tx.sql.query<LockedTask>({
    name: 'task-lock',
    text: 'select job_id as "jobId", run_id as "runId", status from task where id = $1 and runner_id = $2 for update',
    values: [taskId, runnerId],
  });
  const task = found.rows[0];
  if (!task) throw new Failure('not-found', `This runner has no task ${taskId}.`);
  return task;
}

async function storeSteps(tx: Tx, { taskId, steps }: TaskReport): Promise<void> {
  if (steps.length === 0) return;
  if (steps.length > MAX_STEPS) throw new Failure('invalid-input', `A task has at most ${MAX_STEPS} steps.`);
  await tx.sql.query({
    name: 'task-steps-store',
    text: `insert into task_step (task_id, index, status, started_at, stopped_at, log_index, log_length)
           select $1, * from unnest($2::int[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::bigint[], $7::bigint[])
           on conflict (task_id, index) do update
              set (status, started_at, stopped_at, log_index, log_length)
                = (excluded.status, excluded.started_at, excluded.stopped_at, excluded.log_index, excluded.log_length)
            where (task_step.status, task_step.started_at, task_step.stopped_at, task_step.log_index, task_step.log_length)
                  is distinct from (excluded.status, excluded.started_at, excluded.stopped_at, excluded.log_index, excluded.log_length)`,
    values: [
      taskId,
      steps.map((step) => step.index),
      steps.map((step) => step.status),
      steps.map((step) => step.startedAt),
      steps.map((step) => step.stoppedAt),
      steps.map((step) => step.logIndex),
      steps.map((step) => step.logLength),
    ],
  });
}

async function storeOutputs(tx: Tx, { taskId, outputs }: TaskReport): Promise<void> {
  const kept = Object.entries(outputs).filter(([key, value]) => fits(key, value));
  if (kept.length === 0) return;
  await tx.sql.query({
    name: 'task-outputs-store',
    text: `insert into task_output (task_id, key, value) select $1, * from unnest($2::text[], $3::text[]) on conflict do nothing`,
    values: [taskId, kept.map(([key]) => key), kept.map(([, value]) => value)],
  });
}

/** Postgres has no NUL in text; an output with one counts as unfit, like one that is too large. */
function fits(key: string, value: string): boolean {
  return Buffer.byteLength(key) <= MAX_OUTPUT_KEY_BYTES && Buffer.byteLength(value) <= MAX_OUTPUT_VALUE_BYTES && !`${key}${value}`.includes('\0');
}

async function knownOutputs(tx: Tx, { taskId, outputs }: TaskReport): Promise<readonly string[]> {
  const stored = await tx.sql.query<{ key: string }>({
    name: 'task-outputs-known',
    text: 'select key from task_output where task_id = $1',
    values: [taskId],
  });
  return [...new Set([...stored.rows.map((row) => row.key), ...Object.keys(outputs)])];
}

async function moveTask(tx: Tx, report: TaskReport, next: TaskStatus, now: Date): Promise<void> {
  await tx.sql.query({
    name: 'task-move',
    text: `update task set status = $2, heard_at = $3, started_at = coalesce(started_at, $4), stopped_at = $5
            where id = $1 and status in ('claimed', 'running', 'cancelling')`,
    values: [report.taskId, next, now, report.startedAt ?? now, isOver(next) ? (report.stoppedAt ?? now) : null],
  });
}

/** Gives the job its task's final state; only the job's present task can. */
export async function finishJob(
  tx: Tx,
  task: { readonly jobId: number; readonly runId: number },
  status: 'success' | 'failure' | 'cancelled' | 'skipped' | 'abandoned',
  stoppedAt: Date,
  reason: string | null = null,
): Promise<void> {
  const moved = await tx.sql.query({
    name: 'job-finish',
    text: `update job set status = $2, stopped_at = greatest($3, started_at), reason = coalesce($4, reason)
            where id = $1 and status in ('running', 'cancelling')`,
    values: [task.jobId, status, stoppedAt, reason],
  });
  if (moved.rowCount === 1) await publish(tx, 'job.finished', [{ runId: task.runId, jobId: task.jobId }]);
}
