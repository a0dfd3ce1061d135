import type { Sql } from '@triphammer/models';
import type { RunStatus } from '@triphammer/models/runs';
import { allOf, type Conjunction, pageOf, type Window } from './conditions';
import { readSteps, type StepRecord } from './step-queries';

/** A job with its run's facts, its present task's runner, and its steps. */
export interface JobRecord {
  readonly id: number;
  readonly runId: number;
  readonly attemptId: number;
  readonly attempt: number;
  readonly repositoryId: number;
  readonly ownerId: number;
  /** `owner/name`. */
  readonly repository: string;
  readonly ref: string;
  readonly sha: string;
  readonly key: string;
  readonly name: string;
  readonly needs: readonly string[];
  readonly labels: readonly string[];
  readonly labelKey: number;
  readonly status: RunStatus;
  readonly reason: string | null;
  readonly runnerId: number | null;
  readonly runnerName: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly stoppedAt: Date | null;
  readonly steps: readonly StepRecord[];
}

/** What is left out does not filter. A run's jobs are those of its latest attempt. */
export interface JobFilter {
  readonly runId?: number | undefined;
  readonly statuses?: readonly RunStatus[] | undefined;
}

const JOB_COLUMNS = `
  job.id, job.run_id as "runId", job.attempt_id as "attemptId", attempt.number as attempt, job.repository_id as "repositoryId",
  job.owner_id as "ownerId", owner.name || '/' || repository.name as repository, run.ref, run.sha, job.key, job.name, job.needs, job.labels,
  job.label_key as "labelKey", job.status, job.reason, task.runner_id as "runnerId", runner.name as "runnerName",
  job.created_at as "createdAt", job.started_at as "startedAt", job.stopped_at as "stoppedAt"`;

const JOB_TABLES = `
  job join run on run.id = job.run_id join attempt on attempt.id = job.attempt_id
      join repository on repository.id = job.repository_id join owner on owner.id = repository.owner_id
      left join task on task.id = job.task_id left join runner on runner.id = task.runner_id`;

/** Jobs that pass the filter, and how many there are in all: those of one run in its order, otherwise the newest first. */
export async function findJobs(sql: Sql, filter: JobFilter, window: Window): Promise<{ jobs: readonly JobRecord[]; total: number }> {
  const where = allOf([
    ['attempt.number = run.attempt_number and job.run_id = ?', filter.runId],
    ['job.status = any(?)', filter.statuses],
  ]);
  const order = filter.runId === undefined ? 'job.id desc' : 'job.position';
  const [jobs, total] = [await readJobs(sql, where, `order by ${order} ${pageOf(window)}`), await countJobs(sql, where)];
  return { jobs, total };
}

/** One job, of whatever attempt; undefined when there is none with this id, or it is of another repository than the one asked for. */
export async function findJob(sql: Sql, jobId: number, repositoryId?: number): Promise<JobRecord | undefined> {
  const where = allOf([
    ['job.id = ?', jobId],
    ['job.repository_id = ?', repositoryId],
  ]);
  return (await readJobs(sql, where, ''))[0];
}

async function readJobs(sql: Sql, where: Conjunction, tail: string): Promise<readonly JobRecord[]> {
  const found = await sql.query<Omit<JobRecord, 'steps'>>({
    text: `select ${JOB_COLUMNS} from ${JOB_TABLES} where ${where.text} ${tail}`,
    values: [...where.values],
  });
  const stepsOf = await readSteps(
    sql,
    found.rows.map((job) => job.id),
  );
  return found.rows.map((job) => ({ ...job, steps: stepsOf.get(job.id) ?? [] }));
}

async function countJobs(sql: Sql, where: Conjunction): Promise<number> {
  const counted = await sql.query<{ total: number }>({
    text: `select count(*) as total from ${JOB_TABLES} where ${where.text}`,
    values: [...where.values],
  });
  return counted.rows[0]?.total ?? 0;
}
