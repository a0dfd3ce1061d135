import type { Sql } from '@triphammer/models';
import type { RunStatus } from '@triphammer/models/runs';
import { type CandidateRunner, explainWaiting, type NeededJob, type WaitingJob, type WaitingReason } from './pick';

export interface JobToExplain extends WaitingJob {
  readonly id: number;
  readonly attemptId: number;
  readonly labelKey: number;
}

/** Why each of these jobs has not begun, by the job's id; jobs that wait no longer are left out. A runner is online when it was seen since `onlineSince`. */
export async function explainJobs(sql: Sql, jobs: readonly JobToExplain[], onlineSince: Date): Promise<ReadonlyMap<number, WaitingReason>> {
  const siblings = await readSiblings(
    sql,
    jobs.filter((job) => job.status === 'blocked'),
  );
  const runners = await readCandidates(
    sql,
    jobs.filter((job) => job.status === 'waiting'),
    onlineSince,
  );
  const reasons = new Map<number, WaitingReason>();
  // Jobs of one queue and repository wait for the same runners.
  const known = new Map<string, WaitingReason | undefined>();
  for (const job of jobs) {
    const queue = job.status === 'waiting' ? `${job.labelKey} ${job.repositoryId}` : `job ${job.id}`;
    if (!known.has(queue)) known.set(queue, explainWaiting(job, neededBy(job, siblings), runners));
    const reason = known.get(queue);
    if (reason) reasons.set(job.id, reason);
  }
  return reasons;
}

interface Sibling extends NeededJob {
  readonly attemptId: number;
}

function neededBy(job: JobToExplain, siblings: readonly Sibling[]): readonly NeededJob[] {
  return siblings.filter((other) => other.attemptId === job.attemptId && job.needs.includes(other.key));
}

async function readSiblings(sql: Sql, blocked: readonly JobToExplain[]): Promise<readonly Sibling[]> {
  if (blocked.length === 0) return [];
  const found = await sql.query<{ attemptId: number; key: string; name: string; status: RunStatus }>({
    name: 'jobs-of-attempts',
    text: 'select attempt_id as "attemptId", key, name, status from job where attempt_id = any($1) order by attempt_id, position',
    values: [[...new Set(blocked.map((job) => job.attemptId))]],
  });
  return found.rows;
}

async function readCandidates(sql: Sql, waiting: readonly JobToExplain[], onlineSince: Date): Promise<readonly CandidateRunner[]> {
  if (waiting.length === 0) return [];
  const found = await sql.query<CandidateRunner>({
    name: 'runners-for-jobs',
    text: `select name, labels, owner_id as "ownerId", repository_id as "repositoryId", coalesce(last_seen_at >= $3, false) as "isOnline",
                  (select count(*) from task where task.runner_id = runner.id and task.status in ('claimed', 'running', 'cancelling')) as tasks
             from runner
            where retired_at is null
              and case when repository_id is not null then repository_id = any($2) else owner_id is null or owner_id = any($1) end
            order by id`,
    values: [[...new Set(waiting.map((job) => job.ownerId))], [...new Set(waiting.map((job) => job.repositoryId))], onlineSince],
  });
  return found.rows;
}
