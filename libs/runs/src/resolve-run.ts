import { publish } from '@triphammer/events';
import type { Tx } from '@triphammer/models';
import type { Job } from '@triphammer/models/runs';
import { announceReleased } from './announce-released';
import { readConditionFacts } from './condition-facts';
import { type EndedJob, resolveNeeds } from './needs';
import { combineStatus, isFinal } from './status';

type ResolvedJob = Pick<Job, 'id' | 'key' | 'needs' | 'condition' | 'status' | 'continueOnError' | 'runId' | 'labelKey' | 'ownerId' | 'repositoryId'>;

/**
 * Brings a run's latest attempt to where its finished jobs allow: dependents are released, skipped or failed, then attempt and
 * run get their combined state. The run's row is locked, so that one resolution of it goes on at a time.
 */
export async function resolveRun(tx: Tx, runId: number, now: Date): Promise<void> {
  const attempt = await lockLatestAttempt(tx, runId);
  if (!attempt) return;
  const jobs = await readJobs(tx, attempt.id);
  const { released, ended } = resolveNeeds(jobs, await readConditionFacts(tx.sql, attempt.id, jobs));
  await releaseJobs(tx, released, now);
  await endJobs(tx, ended, now);
  const statusOf = new Map([...released.map((id) => [id, 'waiting'] as const), ...ended.map(({ id, status }) => [id, status] as const)]);
  await settleRun(
    tx,
    runId,
    attempt.id,
    jobs.map((job) => ({ ...job, status: statusOf.get(job.id) ?? job.status })),
    now,
  );
  const byId = new Map(jobs.map((job) => [job.id, job]));
  await announceReleased(
    tx,
    released.flatMap((id) => byId.get(id) ?? []),
  );
  await publish(
    tx,
    'job.finished',
    ended.map(({ id }) => ({ runId, jobId: id })),
  );
}

async function lockLatestAttempt(tx: Tx, runId: number): Promise<{ id: number } | undefined> {
  await tx.sql.query({ name: 'run-lock', text: 'select id from run where id = $1 for update', values: [runId] });
  const found = await tx.sql.query<{ id: number }>({
    name: 'attempt-latest',
    text: 'select id from attempt where run_id = $1 order by number desc limit 1',
    values: [runId],
  });
  return found.rows[0];
}

async function readJobs(tx: Tx, attemptId: number): Promise<readonly ResolvedJob[]> {
  const found = await tx.sql.query<ResolvedJob>({
    name: 'attempt-jobs',
    text: `select id, key, needs, condition, status, continue_on_error as "continueOnError", run_id as "runId", label_key as "labelKey",
                  owner_id as "ownerId", repository_id as "repositoryId"
             from job where attempt_id = $1 order by position`,
    values: [attemptId],
  });
  return found.rows;
}

async function releaseJobs(tx: Tx, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  await tx.sql.query({
    name: 'jobs-release',
    text: `update job set status = 'waiting', released_at = $2 where id = any($1) and status = 'blocked'`,
    values: [ids, now],
  });
}

async function endJobs(tx: Tx, ended: readonly EndedJob[], now: Date): Promise<void> {
  if (ended.length === 0) return;
  await tx.sql.query({
    name: 'jobs-end-unstarted',
    text: `update job set status = ended.status, reason = ended.reason, stopped_at = $4
             from unnest($1::bigint[], $2::text[], $3::text[]) as ended (id, status, reason) where job.id = ended.id and job.status = 'blocked'`,
    values: [ended.map(({ id }) => id), ended.map(({ status }) => status), ended.map(({ reason }) => reason), now],
  });
}

/** Writes the combined state; the caller holds the run's lock. */
async function settleRun(tx: Tx, runId: number, attemptId: number, jobs: readonly ResolvedJob[], now: Date): Promise<void> {
  const status = combineStatus(jobs);
  const stoppedAt = isFinal(status) ? now : null;
  for (const [table, id] of [
    ['attempt', attemptId],
    ['run', runId],
  ] as const) {
    await tx.sql.query({
      name: `${table}-settle`,
      text: `update ${table} set status = $2, stopped_at = $3 where id = $1 and status is distinct from $2`,
      values: [id, status, stoppedAt],
    });
  }
}
