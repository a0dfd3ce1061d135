import { sha256Hex } from '@triphammer/foundation';
import { poolOf } from '@triphammer/models';
import { labelKey } from '@triphammer/runs';
import { makeRepository, newJob } from '@triphammer/testing';
import type { DataSource } from 'typeorm';

export interface RunnerCredentials {
  readonly uuid: string;
  readonly token: string;
}

const JOBS_PER_RUN = 10;
const RUNNER_TOKEN = 'a-token-of-all-runners-of-the-bench';

/** A push of ten commits, some 4 KB: every run carries the event that it is made of. */
export const EVENT = {
  ref: 'refs/heads/main',
  repository: { id: 7 },
  commits: Array.from({ length: 10 }, (_, index) => ({ id: String(index).repeat(40), message: 'Mend the roof. '.repeat(20), modified: ['src/roof.ts'] })),
};

/** Puts waiting jobs into the database, ten to a run, and lets the planner know. Dispatchers see them within a second. */
export async function addWaitingJobs(dataSource: DataSource, count: number, label: string): Promise<void> {
  const { id, ownerId } = await makeRepository(dataSource);
  const job = newJob('build', { labels: [label] });
  const pool = poolOf(dataSource);
  await pool.query('insert into label_set (label_key, labels) values ($1, $2) on conflict do nothing', [labelKey(job.labels), job.labels]);
  await pool.query(
    `with runs as (
       insert into run (repository_id, owner_id, number, delivery_id, workflow, workflow_folder, workflow_name, title, event, event_payload, ref, sha, actor,
                        status, created_at)
       select $1, $2, last + n, last + n, 'ci.yml', '.gitea/workflows', 'ci', 'a commit', 'push', $3, 'refs/heads/main', repeat('a', 40), 'dev', 'waiting', now()
         from (select coalesce(max(id), 0) as last from run) newest, generate_series(1, $4::int) n
       returning id
     ), attempts as (
       insert into attempt (run_id, number, triggering_actor, status, created_at) select id, 1, 'dev', 'waiting', now() from runs returning id, run_id
     ), jobs as (
       insert into job (attempt_id, run_id, repository_id, owner_id, key, name, status_context, position, needs, labels, label_key, timeout_minutes, status, created_at, released_at)
       select id, run_id, $1, $2, $5, $5, $10, place, '{}', $6, $7, 360, 'waiting', now(), now() from attempts, generate_series(1, $8::int) place
       returning id
     )
     insert into job_payload (job_id, payload) select id, $9 from jobs`,
    [id, ownerId, EVENT, count / JOBS_PER_RUN, job.key, job.labels, labelKey(job.labels), JOBS_PER_RUN, job.payload, job.statusContext],
  );
  await pool.query('vacuum analyze');
}

/** Registered runners that may take every repository's jobs. */
export async function addRunners(dataSource: DataSource, count: number, label: string): Promise<readonly RunnerCredentials[]> {
  const added = await poolOf(dataSource).query<{ uuid: string }>(
    `insert into runner (uuid, name, token_hash, labels, capabilities, version, ephemeral, created_at, last_seen_at)
     select gen_random_uuid(), 'bench ' || n, $1, $2, '{}', 'v1.0.8', false, now(), now() from generate_series(1, $3::int) n returning uuid`,
    [sha256Hex(RUNNER_TOKEN), [label], count],
  );
  return added.rows.map(({ uuid }) => ({ uuid, token: RUNNER_TOKEN }));
}
