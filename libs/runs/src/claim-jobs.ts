import { publish } from '@triphammer/events';
import type { Tx } from '@triphammer/models';

/** Whose jobs a runner may take; both null for all. */
export interface RunnerScope {
  readonly ownerId: number | null;
  readonly repositoryId: number | null;
}

export interface Claimer {
  readonly runnerId: number;
  readonly requestKey: string | null;
}

export interface ClaimedJob {
  readonly taskId: number;
  readonly jobId: number;
  readonly runId: number;
  readonly runnerId: number;
}

/**
 * Gives each claimer, in their order, one waiting job of this label set and scope, as far as there are any: the highest
 * priority first, then the oldest. Each job goes to one claimer only, whatever other processes claim at the same time;
 * those pass over the rows that this statement holds. One key a statement, because an index range over several keys
 * costs thirty times as much (stack.md, claims per second).
 */
export async function claimJobs(tx: Tx, labelKey: number, scope: RunnerScope, claimers: readonly Claimer[], now: Date): Promise<readonly ClaimedJob[]> {
  const { name, condition, id } = scopeCondition(scope);
  const claimed = await tx.sql.query<ClaimedJob>({
    name: `jobs-claim-${name}`,
    text: `with picked as materialized (
             select id, run_id, repository_id, priority from job
              where status = 'waiting' and label_key = $1 ${condition}
              order by priority desc, id limit $2 for update skip locked
           ), paired as (
             select picked.id as job_id, picked.run_id, picked.repository_id, claimer.runner_id, claimer.request_key
               from (select *, row_number() over (order by priority desc, id) as place from picked) picked
               join unnest($3::bigint[], $4::text[]) with ordinality as claimer (runner_id, request_key, place) using (place)
           ), added as (
             insert into task (job_id, run_id, repository_id, repository_name, runner_id, status, request_key, claimed_at)
             select job_id, run_id, repository_id,
                    (select owner.name || '/' || repository.name from repository join owner on owner.id = repository.owner_id
                      where repository.id = paired.repository_id),
                    runner_id, 'claimed', request_key, $5
               from paired
             returning id, job_id, run_id, runner_id
           ), taken as (
             update job set status = 'running', task_id = added.id, started_at = $5 from added where job.id = added.job_id
           )
           select id as "taskId", job_id as "jobId", run_id as "runId", runner_id as "runnerId" from added
            order by array_position($3::bigint[], runner_id)`,
    values: [labelKey, claimers.length, claimers.map((each) => each.runnerId), claimers.map((each) => each.requestKey), now, ...id],
  });
  if (claimed.rows.length === 0) return [];
  await markRunning(tx, claimed.rows, now);
  await publish(
    tx,
    'job.claimed',
    claimed.rows.map(({ runId, jobId, taskId }) => ({ runId, jobId, taskId })),
  );
  return claimed.rows;
}

function scopeCondition(scope: RunnerScope): { name: string; condition: string; id: readonly number[] } {
  if (scope.repositoryId !== null) return { name: 'repository', condition: 'and repository_id = $6', id: [scope.repositoryId] };
  if (scope.ownerId !== null) return { name: 'owner', condition: 'and owner_id = $6', id: [scope.ownerId] };
  return { name: 'all', condition: '', id: [] };
}

/** Locked in the order of their ids, so that two claims which share runs never wait for each other crosswise. */
async function markRunning(tx: Tx, claimed: readonly ClaimedJob[], now: Date): Promise<void> {
  await tx.sql.query({
    name: 'runs-mark-running',
    text: `with started as (
             select id from run where id = any($1) and status in ('waiting', 'blocked') order by id for update
           ), attempts as (
             update attempt set status = 'running', started_at = coalesce(started_at, $2)
              where run_id in (select id from started) and status in ('waiting', 'blocked')
           )
           update run set status = 'running', started_at = coalesce(started_at, $2) where id in (select id from started)`,
    values: [[...new Set(claimed.map((each) => each.runId))], now],
  });
}
