import { Failure } from '@triphammer/foundation';
import { transaction } from '@triphammer/models';
import type { DataSource } from 'typeorm';
import { claimJobs } from './claim-jobs';
import { labelKey } from './labels';
import { createRegistrationToken, registerRunner } from './register-runner';
import { type NewJob, type NewRun, startRun } from './start-run';

export const NOW = new Date('2026-01-02T03:04:05.000Z');

export interface Home {
  readonly ownerId: number;
  readonly repositoryId: number;
}

/** A repository `owner/name` of some forge, with its owner. */
export async function seedRepository(dataSource: DataSource, fullName: string): Promise<Home> {
  const [owner = '', name = ''] = fullName.split('/');
  return transaction(dataSource, async (tx) => {
    await tx.sql.query({ text: 'insert into owner (name, lower_name) values ($1, lower($1)) on conflict do nothing', values: [owner] });
    const added = await tx.sql.query<Home>({
      text: `insert into repository (owner_id, connection_id, forge_repository_id, forge_full_name, name, lower_name, default_branch, is_private)
             select id, 1, $1, $1, $2, lower($2), 'main', false from owner where lower_name = lower($3)
             returning owner_id as "ownerId", id as "repositoryId"`,
      values: [fullName, name, owner],
    });
    const home = added.rows[0];
    if (!home) throw new Failure('conflict', fullName);
    return home;
  });
}

let deliveries = 0;

/** Starts a run on `home`; each is of a delivery of its own. */
export async function seedRun(dataSource: DataSource, home: Home, jobs: readonly NewJob[], facts: Partial<NewRun> = {}): Promise<number> {
  deliveries += 1;
  const run: NewRun = {
    ...home,
    deliveryId: deliveries,
    workflow: 'ci.yml',
    workflowFolder: '.gitea/workflows',
    workflowName: 'ci',
    title: 'Fix the roof',
    event: 'push',
    eventPayload: {},
    ref: 'refs/heads/main',
    sha: 'a'.repeat(40),
    actor: 'ada',
    jobs,
    ...facts,
  };
  return (await transaction(dataSource, (tx) => startRun(tx, run, NOW))) as number;
}

export function newJob(key: string, facts: Partial<NewJob> & { readonly steps?: readonly object[] } = {}): NewJob {
  const { steps = [{ run: 'true' }], ...rest } = facts;
  return {
    key,
    name: key,
    statusContext: null,
    needs: [],
    condition: null,
    labels: ['linux'],
    continueOnError: false,
    timeoutMinutes: 60,
    payload: JSON.stringify({ jobs: { [key]: { steps } } }),
    ...rest,
  };
}

/** Registers a runner and returns its id. */
export async function seedRunner(
  dataSource: DataSource,
  name: string,
  facts: { readonly labels?: readonly string[]; readonly capabilities?: readonly string[]; readonly scope?: Partial<Home>; readonly seenAt?: Date } = {},
): Promise<number> {
  const { labels = ['linux'], capabilities = [], scope, seenAt = NOW } = facts;
  return transaction(dataSource, async (tx) => {
    const token = await createRegistrationToken(tx, { ownerId: scope?.ownerId ?? null, repositoryId: scope?.repositoryId ?? null }, NOW);
    const { runner } = await registerRunner(tx, { token, name, labels, capabilities, version: '1.0.8', ephemeral: false }, seenAt);
    return runner.id;
  });
}

/** Hands the oldest waiting job with these labels to the runner and returns the task's id. */
export async function seedClaim(dataSource: DataSource, runnerId: number, labels: readonly string[] = ['linux']): Promise<{ taskId: number; jobId: number }> {
  const [claimed] = await transaction(dataSource, (tx) =>
    claimJobs(tx, labelKey(labels), { ownerId: null, repositoryId: null }, [{ runnerId, requestKey: null }], NOW),
  );
  if (!claimed) throw new Failure('not-found', 'no job waits for these labels');
  return claimed;
}
