import { publish } from '@triphammer/events';
import { raise } from '@triphammer/foundation';
import type { Tx } from '@triphammer/models';
import { Attempt, Job, JobPayload, Run } from '@triphammer/models/runs';
import { announceReleased } from './announce-released';
import { labelKey, normalizeLabels } from './labels';
import { resolveRun } from './resolve-run';
import { combineStatus } from './status';

export interface NewRun {
  readonly repositoryId: number;
  readonly ownerId: number;
  readonly deliveryId: number;
  /** Path of the file below the workflow folder. */
  readonly workflow: string;
  readonly workflowFolder: string;
  readonly workflowName: string;
  readonly title: string;
  readonly event: string;
  readonly eventPayload: Record<string, unknown>;
  readonly ref: string;
  readonly sha: string;
  readonly actor: string;
  readonly jobs: readonly NewJob[];
}

export interface NewJob {
  readonly key: string;
  readonly name: string;
  /** What the forge shows its state under; null where the event has no commit status. */
  readonly statusContext: string | null;
  readonly needs: readonly string[];
  /** `if` as written; null: all that is needed must have succeeded. */
  readonly condition: string | null;
  readonly labels: readonly string[];
  readonly continueOnError: boolean;
  readonly timeoutMinutes: number;
  /** The one-job workflow that a runner gets, as JSON text. */
  readonly payload: string;
}

/**
 * Inserts a run with its first attempt and all jobs, and tells of them. A run that the same delivery has started for the
 * same workflow already is left as it is, and undefined returned: detecting an event twice starts it once. Conditions of
 * jobs that need no other are decided here, too.
 */
export async function startRun(tx: Tx, run: NewRun, now: Date): Promise<number | undefined> {
  const { jobs, ...facts } = run;
  const started = await tx.manager.existsBy(Run, { deliveryId: run.deliveryId, workflow: run.workflow });
  if (started) return undefined;
  const jobStatuses = jobs.map((job) => ({ status: firstStatus(job), continueOnError: false }));
  const status = combineStatus(jobStatuses);
  const number = await nextNumber(tx, run.repositoryId);
  const { id: runId } = await tx.manager.save(tx.manager.create(Run, { ...facts, number, status, createdAt: now }));
  const { id: attemptId } = await tx.manager.save(tx.manager.create(Attempt, { runId, number: 1, triggeringActor: run.actor, status, createdAt: now }));
  const rows = await insertJobs(tx, { ...run, runId, attemptId }, now);
  await publish(tx, 'run.created', [{ runId }]);
  await announceReleased(
    tx,
    rows.filter((row) => row.status === 'waiting'),
  );
  if (jobs.some((job) => job.needs.length === 0 && job.condition !== null)) await resolveRun(tx, runId, now);
  return runId;
}

function firstStatus(job: NewJob): 'waiting' | 'blocked' {
  return job.needs.length === 0 && job.condition === null ? 'waiting' : 'blocked';
}

async function nextNumber(tx: Tx, repositoryId: number): Promise<number> {
  const counted = await tx.sql.query<{ number: number }>({
    name: 'run-number-next',
    text: `insert into repository_counter (repository_id, last_run_number) values ($1, 1)
           on conflict (repository_id) do update set last_run_number = repository_counter.last_run_number + 1
           returning last_run_number as number`,
    values: [repositoryId],
  });
  return counted.rows[0]?.number ?? 0;
}

async function insertJobs(tx: Tx, run: NewRun & { runId: number; attemptId: number }, now: Date): Promise<Job[]> {
  await recordLabelSets(tx, run.jobs);
  const rows = run.jobs.map((job, position) =>
    tx.manager.create(Job, {
      attemptId: run.attemptId,
      runId: run.runId,
      repositoryId: run.repositoryId,
      ownerId: run.ownerId,
      key: job.key,
      name: job.name,
      statusContext: job.statusContext,
      position,
      needs: [...job.needs],
      condition: job.condition,
      labels: [...job.labels],
      labelKey: labelKey(job.labels),
      continueOnError: job.continueOnError,
      timeoutMinutes: job.timeoutMinutes,
      status: firstStatus(job),
      createdAt: now,
      releasedAt: firstStatus(job) === 'waiting' ? now : null,
    }),
  );
  await tx.manager.insert(Job, rows);
  await tx.manager.insert(
    JobPayload,
    rows.map((row, index) => ({ jobId: row.id, payload: run.jobs[index]?.payload ?? raise('a job row without its job') })),
  );
  return rows;
}

async function recordLabelSets(tx: Tx, jobs: readonly NewJob[]): Promise<void> {
  const sets = new Map(jobs.map((job) => [labelKey(job.labels), normalizeLabels(job.labels)]));
  // In order of the key, so that two runs with the same sets never wait for each other crosswise.
  for (const [key, labels] of [...sets].sort(([a], [b]) => a - b)) {
    await tx.sql.query({
      name: 'label-set-record',
      text: 'insert into label_set (label_key, labels) values ($1, $2) on conflict do nothing',
      values: [key, labels],
    });
  }
}
