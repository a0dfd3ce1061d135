import type { Tx } from '@triphammer/models';
import type { CommitState } from '@triphammer/models/forges';
import { nextStatusAttempt } from './next-status-attempt';

/** One process tells the forge at a time; whoever has not said how it went after this long is taken for dead. */
export const POSTING_LIMIT_MS = 5 * 60_000;

export interface WantedStatus {
  readonly repositoryId: number;
  /** The commit, never a tag object. */
  readonly sha: string;
  readonly context: string;
  readonly jobId: number;
  readonly state: CommitState;
  readonly description: string;
  readonly targetUrl: string;
}

/** A status that the forge has not been told, or not in its present form, with all that telling it takes. */
export interface DueStatus extends WantedStatus {
  readonly id: number;
  readonly revision: number;
  /** Failed tries so far. */
  readonly attempts: number;
  readonly connectionId: number;
  readonly forgeRepositoryId: string;
  readonly forgeFullName: string;
}

/**
 * Says what a commit should show under one context. A later job takes a context over from an earlier one, never the reverse;
 * what changes nothing is not told again. False: nothing changed.
 */
export async function wantStatus({ sql }: Tx, status: WantedStatus, now: Date): Promise<boolean> {
  const changed = await sql.query({
    name: 'commit-status-want',
    text: `insert into commit_status (repository_id, sha, context, job_id, state, description, target_url, next_attempt_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8)
           on conflict (repository_id, sha, context) do update
             set job_id = excluded.job_id, state = excluded.state, description = excluded.description, target_url = excluded.target_url,
                 revision = commit_status.revision + 1, attempts = 0, next_attempt_at = excluded.next_attempt_at, last_error = null
           where excluded.job_id >= commit_status.job_id
             and (excluded.state, excluded.description, excluded.target_url)
                 is distinct from (commit_status.state, commit_status.description, commit_status.target_url)`,
    values: [status.repositoryId, status.sha, status.context, status.jobId, status.state, status.description, status.targetUrl, now],
  });
  return changed.rowCount === 1;
}

/**
 * Takes up to `limit` statuses that are due, for this caller alone: each must be answered by `markPosted` or `markFailed`
 * within POSTING_LIMIT_MS, and any number of replicas may call this at once. Final states come first.
 */
export async function takeDueStatuses({ sql }: Tx, limit: number, now: Date): Promise<readonly DueStatus[]> {
  const taken = await sql.query<{ -readonly [Key in keyof DueStatus]: DueStatus[Key] }>({
    name: 'commit-status-take',
    text: `with due as (
             select id from commit_status
              where posted_revision < revision and next_attempt_at <= $2 and (posting_until is null or posting_until <= $2)
              order by state = 'pending', next_attempt_at limit $1 for update skip locked
           )
           update commit_status s set posting_until = $3 from due, repository r
            where s.id = due.id and r.id = s.repository_id
        returning s.id, s.revision, s.attempts, s.repository_id as "repositoryId", s.sha, s.context, s.job_id as "jobId", s.state, s.description,
                  s.target_url as "targetUrl", r.connection_id as "connectionId", r.forge_repository_id as "forgeRepositoryId", r.forge_full_name as "forgeFullName"`,
    values: [limit, now, new Date(now.getTime() + POSTING_LIMIT_MS)],
  });
  return taken.rows;
}

/** The forge has been told. If the status changed meanwhile it is due again at once. */
export async function markPosted({ sql }: Tx, { id, revision }: Pick<DueStatus, 'id' | 'revision'>): Promise<void> {
  await sql.query({
    name: 'commit-status-posted',
    text: `update commit_status set posted_revision = $2, posting_until = null, attempts = 0, last_error = null where id = $1 and posted_revision < $2`,
    values: [id, revision],
  });
}

export interface FailedPost {
  readonly reason: string;
  readonly isFinal: boolean;
  readonly retryAfterMs: number | null;
}

/** The forge could not be told: it is tried again later, or given up (`last_error` then stays), until the status changes. */
export async function markFailed({ sql }: Tx, status: Pick<DueStatus, 'id' | 'revision' | 'attempts'>, failed: FailedPost, now: Date): Promise<void> {
  const next = nextStatusAttempt(status.attempts + 1, failed, now);
  await sql.query({
    name: 'commit-status-failed',
    text: `update commit_status
              set posting_until = null,
                  posted_revision = case when $3::timestamptz is null then $2 else posted_revision end,
                  attempts = case when revision = $2 then attempts + 1 else attempts end,
                  next_attempt_at = case when revision = $2 and $3::timestamptz is not null then $3 else next_attempt_at end,
                  last_error = case when revision = $2 then $4 else last_error end
            where id = $1 and posted_revision < $2`,
    values: [status.id, status.revision, next, failed.reason],
  });
}
