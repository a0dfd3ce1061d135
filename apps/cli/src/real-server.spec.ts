import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventIngestModule } from '@triphammer/feature-event-ingest';
import { LogArchiverModule } from '@triphammer/feature-log-archiver';
import { TaskDispatcherModule } from '@triphammer/feature-task-dispatcher';
import { createTestDatabase, startTestService, type TestDatabase, type TestService, TEST_SECRETS } from '@triphammer/testing';
import { run } from './cli.harness';

const SEED = `
  insert into owner (name, lower_name) values ('acme', 'acme');
  insert into repository (owner_id, connection_id, forge_repository_id, forge_full_name, name, lower_name, default_branch, is_private)
    values (1, 1, '1', 'acme/app', 'app', 'app', 'main', false);
  insert into run (id, repository_id, owner_id, number, delivery_id, workflow, workflow_folder, workflow_name, title, event, event_payload, ref, sha, actor, status, created_at)
    values (7, 1, 1, 1, 1, 'ci.yml', '.gitea/workflows', 'CI', 'Fix the roof', 'push', '{}', 'refs/heads/main', 'abc', 'ada', 'waiting', now());
  insert into attempt (run_id, number, triggering_actor, status, created_at) values (7, 1, 'ada', 'waiting', now());
  insert into job (attempt_id, run_id, repository_id, owner_id, key, name, position, needs, labels, label_key, timeout_minutes, status, created_at)
    values (1, 7, 1, 1, 'build', 'build', 0, '{}', '{linux}', 1, 60, 'waiting', now());
  insert into job_payload (job_id, payload) values (1, '{}');
  insert into runner (uuid, name, token_hash, labels, capabilities, version, ephemeral, created_at, last_seen_at)
    values (gen_random_uuid(), 'r1', 'x', '{other}', '{}', 'v1', false, now(), now());
`;

let database: TestDatabase;
let service: TestService;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.dataSource.query(SEED);
  service = await startTestService({ features: [EventIngestModule, TaskDispatcherModule, LogArchiverModule], database });
  folder = await mkdtemp(join(tmpdir(), 'triphammer-cli-'));
});

afterAll(async () => {
  await service.stop();
  await database.drop();
  await rm(folder, { recursive: true });
});

/** What the CLI prints, told apart from what it complains of. */
async function triphammer(line: string): Promise<string> {
  const { code, out, err } = await run(line, { environment: { TRIPHAMMER_URL: service.url, TRIPHAMMER_TOKEN: TEST_SECRETS.ADMIN_TOKEN } });
  return err === '' ? out : `${code}: ${err}`;
}

describe('the CLI and the server understand each other', () => {
  it('about forges and deliveries', async () => {
    expect(await triphammer(`forge add --kind git --name home --url ${folder}`)).toMatch(/^Webhook +http.*\/webhooks\/1$/m);
    expect(await triphammer('forge list')).toMatch(/^1 +home +git +/m);
    expect(await triphammer('delivery list')).toMatch(/^DELIVERY /);
    expect(await triphammer('delivery show 9')).toBe('1: There is no delivery 9.\n');
    expect(await triphammer('forge add --kind svn --name x --url y')).toMatch(/^1: .*kind/);
    expect(await triphammer('forge remove 9')).toBe('1: There is no forge connection 9.\n');
  });

  it('about runners', async () => {
    expect(await triphammer('runner list')).toMatch(/^1 +r1 +online +other +v1 /m);
    expect(await triphammer('registration-token create --repo acme/app')).toMatch(/^[0-9a-f]{40}\n$/);
    expect(await triphammer('registration-token create --owner nobody')).toMatch(/^1: There is no owner nobody\./);
    expect(await triphammer('runner remove 1')).toBe('Runner 1 is removed.\n');
    expect(await triphammer('runner list --json')).toBe('{\n  "total_count": 0,\n  "runners": []\n}\n');
  });

  it('about runs, jobs and logs', async () => {
    expect(await triphammer('run list --repo acme/app --status queued --branch main')).toMatch(/^7 +waiting +acme\/app +CI +Fix the roof +main /m);
    expect(await triphammer('run list --status asleep')).toMatch(/^1: status: /);
    expect(await triphammer('run show 7')).toMatch(/^1 +build +waiting +No runner is registered for this repository\.$/m);
    expect(await triphammer('run cancel 7')).toBe('Run 7 is cancelled.\n');
    expect(await triphammer('run watch 7')).toMatch(/^! build: cancelled, The run was cancelled\.\n! The run ended: cancelled\.$/m);
    expect(await triphammer('job logs 1')).toBe('');
    expect(await triphammer('job logs -f 1')).toBe('');
    expect(await triphammer('job logs 2')).toBe('1: There is no job 2.\n');
  });
});
