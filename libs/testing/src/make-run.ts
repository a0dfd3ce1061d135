import { type Tx, transaction } from '@triphammer/models';
import { Runner } from '@triphammer/models/runs';
import { type NewJob, startRun } from '@triphammer/runs';
import { newUuid, sha256Hex } from '@triphammer/foundation';
import type { DataSource } from 'typeorm';

let deliveries = 0;

/** A repository `acme/demo` (owner and connection included); the same one at every call. */
export async function makeRepository(dataSource: DataSource, name = 'demo'): Promise<{ id: number; ownerId: number }> {
  return transaction(dataSource, async ({ sql }) => {
    const made = await sql.query<{ id: number; ownerId: number }>({
      text: `with connection as (
               insert into forge_connection (kind, name, url, webhook_secret_ciphertext) values ('git', 'local', '/srv/git', '')
               on conflict (name) do update set url = excluded.url returning id
             ), owning as (
               insert into owner (name, lower_name, connection_id, forge_owner_id) select 'acme', 'acme', id, 'acme' from connection
               on conflict (lower_name) do update set name = excluded.name returning id
             )
             insert into repository (owner_id, connection_id, forge_repository_id, forge_full_name, name, lower_name, default_branch, is_private)
             select owning.id, connection.id, 'acme/' || $1, 'acme/' || $1, $1, $1, 'main', true from connection, owning
             on conflict (owner_id, lower_name) do update set name = excluded.name
             returning id, owner_id as "ownerId"`,
      values: [name],
    });
    return made.rows[0] as { id: number; ownerId: number };
  });
}

/** A job as the planner would make it: one step, on `linux` unless said otherwise. */
export function newJob(key: string, facts: Partial<NewJob> = {}): NewJob {
  const labels = facts.labels ?? ['linux'];
  const payload = { name: 'ci', on: 'push', jobs: { [key]: { name: key, if: 'always()', 'runs-on': labels, steps: [{ run: 'echo hello' }] } } };
  return {
    key,
    name: key,
    statusContext: `ci / ${key} (push)`,
    needs: [],
    condition: null,
    labels,
    continueOnError: false,
    timeoutMinutes: 360,
    payload: JSON.stringify(payload),
    ...facts,
  };
}

/** Starts a run of these jobs and returns its id. */
export async function makeRun(dataSource: DataSource, jobs: readonly NewJob[], repository?: { id: number; ownerId: number }): Promise<number> {
  const { id, ownerId } = repository ?? (await makeRepository(dataSource));
  deliveries += 1;
  const deliveryId = deliveries;
  return transaction(dataSource, async (tx: Tx) => {
    const runId = await startRun(
      tx,
      {
        repositoryId: id,
        ownerId,
        deliveryId,
        workflow: 'ci.yml',
        workflowFolder: '.gitea/workflows',
        workflowName: 'ci',
        title: 'a commit',
        event: 'push',
        eventPayload: { ref: 'refs/heads/main', repository: { id: 7 } },
        ref: 'refs/heads/main',
        sha: '5e1f1ad85a4ee4d3f9d7a8d4e65b8b6f5a0c1f2e',
        actor: 'dev',
        jobs,
      },
      new Date(),
    );
    if (runId === undefined) throw new Error('the run exists already');
    return runId;
  });
}

/** A registered runner; its token is its name. */
export async function makeRunner(dataSource: DataSource, name: string, facts: Partial<Runner> = {}): Promise<Runner> {
  const runner = dataSource.manager.create(Runner, {
    uuid: newUuid(),
    name,
    tokenHash: sha256Hex(name),
    labels: ['linux'],
    capabilities: [],
    version: 'dev',
    ephemeral: false,
    createdAt: new Date(),
    lastSeenAt: new Date(),
    ...facts,
  });
  return dataSource.manager.save(runner);
}
