import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findRepository } from '@triphammer/forges';
import { secretBox, signJobToken } from '@triphammer/identity';
import { poolOf } from '@triphammer/models';
import { makeRun, makeRunner, newJob, TEST_SECRETS } from '@triphammer/testing';
import { cloneAccess } from './clone-access';
import type { CloneProxyDeps } from './clone-proxy/clone-target';
import { EventIngestHarness, PUSH, REPOSITORY } from './event-ingest.harness';

const { SECRET_KEY } = TEST_SECRETS;
const CREDENTIAL = `Basic ${Buffer.from('bot:canary-token').toString('base64')}`;

let ingest: EventIngestHarness;
let access: CloneProxyDeps;
let gitea: Server;
let giteaUrl: string;
let answer: { status: number; body: object };

beforeAll(async () => {
  ingest = await EventIngestHarness.start();
  access = cloneAccess(ingest.database.dataSource, secretBox(SECRET_KEY), SECRET_KEY);
  gitea = createServer((_request, response) => void response.writeHead(answer.status).end(JSON.stringify(answer.body)));
  await new Promise<void>((resolve) => gitea.listen(0, '127.0.0.1', resolve));
  giteaUrl = `http://127.0.0.1:${(gitea.address() as AddressInfo).port}`;
});
afterEach(() => ingest.clear());
afterAll(async () => {
  gitea.close();
  gitea.closeAllConnections();
  await ingest.stop();
});

describe('a repository to clone', () => {
  beforeEach(async () => {
    const forge = await ingest.connect({ url: giteaUrl, username: 'bot' });
    await ingest.deliver(forge, 'push', PUSH);
  });

  it('is at its forge, with the credential of its connection', async () => {
    expect(await access.readRepository(await repositoryId('acme', 'APP'))).toEqual({
      repositoryId: expect.any(Number),
      remote: { kind: 'http', url: `${giteaUrl}/Acme/App.git`, authorization: CREDENTIAL },
    });
  });

  it('is where its forge says after a rename, and known by its new name', async () => {
    const before = await repositoryId('acme', 'app');
    answer = { status: 200, body: { ...REPOSITORY, owner: { id: 9, login: 'Apex' }, name: 'Tool' } };

    const after = await access.refreshRepository(before);

    expect(after).toEqual({ repositoryId: before, remote: { kind: 'http', url: `${giteaUrl}/Apex/Tool.git`, authorization: CREDENTIAL } });
    expect(await access.readRepository(await repositoryId('apex', 'tool'))).toEqual(after);
    expect(await repositoryId('acme', 'app')).toBe(0);
  });

  it('is gone when its forge says so, and only then', async () => {
    const id = await repositoryId('acme', 'app');
    answer = { status: 404, body: {} };
    expect(await access.refreshRepository(id)).toBeUndefined();

    answer = { status: 500, body: {} };

    await expect(access.refreshRepository(id)).rejects.toMatchObject({ code: 'upstream-failed' });
  });
});

describe('a repository of a folder', () => {
  it('is where it was: there is nobody to ask', async () => {
    const forge = await ingest.connect({ kind: 'git', url: '/srv/git', token: undefined });
    const rows = await ingest.rows<{ id: number }>(
      `with o as (insert into owner (name, lower_name) values ('team', 'team') returning id)
       insert into repository (owner_id, connection_id, forge_repository_id, forge_full_name, name, lower_name, default_branch, is_private)
       select id, ${forge}, 'team/app.git', 'team/app', 'app', 'app', 'main', true from o returning id`,
    );

    const target = { repositoryId: rows[0]?.id, remote: { kind: 'path', path: '/srv/git/team/app.git' } };

    expect(await access.readRepository(rows[0]?.id ?? 0)).toEqual(target);
    expect(await access.refreshRepository(rows[0]?.id ?? 0)).toEqual(target);
  });
});

describe('a job token', () => {
  it.each([
    ['claimed', true],
    ['running', true],
    ['cancelling', true],
    ['success', false],
    ['failure', false],
    ['cancelled', false],
    ['skipped', false],
    ['abandoned', false],
  ])('of a task that is %s lives: %s', async (status, isLive) => {
    const claims = await makeTask(status);

    const found = await access.verifyJobToken(signJobToken(SECRET_KEY, claims));

    const ended = { job: 'build', at: new Date('2026-01-02T03:04:05Z') };
    expect(found).toMatchObject({ repositoryId: claims.repositoryId, ...(isLive ? {} : { ended }) });
  });

  it('reads its repository under the name that its job was told, and under the one that it has since', async () => {
    const claims = await makeTask('running');
    const told = await ingest.rows<{ name: string }>(`select repository_name as name from task where id = ${claims.taskId}`);
    await ingest.rows(`update repository set name = 'Later', lower_name = 'later' where id = ${claims.repositoryId}`);

    const found = await access.verifyJobToken(signJobToken(SECRET_KEY, claims));

    expect(found?.names).toEqual([told[0]?.name, expect.stringMatching(/\/Later$/)]);
  });

  it.each([
    ['no token', async () => 'hunter2'],
    ['the token of another installation', async () => signJobToken('another-secret-key-of-32-characters', await makeTask('running'))],
    ['a token whose task is unknown', async () => signJobToken(SECRET_KEY, { ...(await makeTask('running')), taskId: 999_999 })],
    ['a token for another repository than its task’s', async () => signJobToken(SECRET_KEY, { ...(await makeTask('running')), repositoryId: 999_999 })],
  ])('is nothing when it is %s', async (_what, token) => {
    expect(await access.verifyJobToken(await token())).toBeUndefined();
  });
});

async function repositoryId(owner: string, name: string): Promise<number> {
  return (await findRepository(poolOf(ingest.database.dataSource), owner, name))?.id ?? 0;
}

async function makeTask(status: string) {
  const { dataSource } = ingest.database;
  const runId = await makeRun(dataSource, [newJob('build')]);
  const runner = await makeRunner(dataSource, `runner-${runId}`);
  const stoppedAt = ['claimed', 'running', 'cancelling'].includes(status) ? 'null' : `'2026-01-02T03:04:05Z'`;
  const rows = await ingest.rows<{ taskId: number; jobId: number; runId: number; repositoryId: number; ownerId: number }>(
    `insert into task (job_id, run_id, repository_id, repository_name, runner_id, status, claimed_at, stopped_at)
     select id, run_id, repository_id, 'acme/told', ${runner.id}, '${status}', now(), ${stoppedAt} from job where run_id = ${runId}
     returning id as "taskId", job_id as "jobId", run_id as "runId", repository_id as "repositoryId",
               (select owner_id from repository where id = repository_id) as "ownerId"`,
  );
  return rows[0] as (typeof rows)[0];
}
