import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TEST_SECRETS } from '@triphammer/testing';
import { A, B, EventIngestHarness, PUSH } from './event-ingest.harness';

const C = 'c'.repeat(40);
const TOKEN = 'canary-token';

let ingest: EventIngestHarness;
let gitea: Server;
let giteaUrl: string;

beforeAll(async () => {
  ingest = await EventIngestHarness.start();
  gitea = createServer(({ url, headers }, response) => {
    const isKnown = headers.authorization === `token ${TOKEN}`;
    const body = url === '/api/v1/version' ? { version: '1.26.0' } : isKnown ? { id: 1, login: 'ci-bot' } : { message: 'invalid token' };
    response.writeHead(url === '/api/v1/version' || isKnown ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => gitea.listen(0, '127.0.0.1', resolve));
  giteaUrl = `http://127.0.0.1:${(gitea.address() as AddressInfo).port}`;
});
afterEach(() => ingest.clear());
afterAll(async () => {
  gitea.close();
  gitea.closeAllConnections();
  await ingest.stop();
});

describe('adding a forge', () => {
  it('tries it, and shows address, secret and what is left to do once', async () => {
    const { status, body } = await ingest.call('POST', '/forges', { kind: 'gitea', name: 'main', url: `${giteaUrl}/`, token: TOKEN });

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(Number),
      kind: 'gitea',
      name: 'main',
      url: giteaUrl,
      namespace: null,
      username: 'ci-bot',
      webhook_url: `https://ci.example.org/webhooks/${body.id}`,
      webhook_secret: expect.stringMatching(/^[0-9a-f]{40}$/),
      created_at: expect.any(String),
      next_steps: expect.stringMatching(/ALLOWED_HOST_LIST = ci\.example\.org/),
    });
    const shown = await ingest.call('GET', `/forges/${body.id}`);
    const listed = await ingest.call('GET', '/forges');
    const { webhook_secret: secret, next_steps: _steps, ...rest } = body;
    expect(shown.body).toEqual(rest);
    expect(listed.body).toEqual([rest]);
    expect(JSON.stringify([shown.body, listed.body])).not.toMatch(new RegExp(`${secret}|canary`));
  });

  it('gives a plain git server its hook script, and a webhook signed as the script does is taken', async () => {
    const root = ingest.service.config.dataDir;

    const { status, body } = await ingest.call('POST', '/forges', { kind: 'git', name: 'plain', url: root, webhook_secret: 'given-by-a-person' });

    expect(status).toBe(201);
    expect(body).toMatchObject({ username: null, webhook_secret: 'given-by-a-person', next_steps: expect.stringMatching(/hooks\/post-receive/) });
    expect(body.hook_script).toMatch(/^#!\/bin\/sh\n/);
    expect(body.hook_script).toContain(`url='https://ci.example.org/webhooks/${body.id}'\nsecret='given-by-a-person'\nroot='${root}'\n`);
  });

  it.each([
    ['a token that the forge does not know', { kind: 'gitea', token: 'canary-wrong' }, 502, /does not accept the token/],
    ['an address where nobody answers', { kind: 'gitea', token: TOKEN, url: 'http://127.0.0.1:9' }, 502, /did not answer/],
    ['ssh', { kind: 'git', url: 'git@example.org:x' }, 422, /ssh is not supported/],
    ['no token', { kind: 'gitea' }, 422, /needs the access token of a bot account/],
    ['another kind', { kind: 'github' }, 422, /kind/],
    ['a misspelt field', { kind: 'gitea', token: TOKEN, user: 'x' }, 422, /user/],
  ])('is refused with %s, and stores nothing', async (_what, fields, status, words) => {
    const answer = await ingest.call('POST', '/forges', { name: 'main', url: giteaUrl, ...fields });

    expect(answer).toMatchObject({ status, body: { message: expect.stringMatching(words) } });
    expect(answer.body.message).not.toContain('canary');
    expect(await ingest.rows('select id from forge_connection')).toEqual([]);
  });

  it('is refused a name that is taken', async () => {
    await ingest.connect();

    expect(await ingest.call('POST', '/forges', { kind: 'gitea', name: 'main', url: giteaUrl, token: TOKEN })).toMatchObject({ status: 409 });
  });
});

describe('a connected forge', () => {
  it('is removed while it has no repositories', async () => {
    const id = await ingest.connect();

    expect(await ingest.call('DELETE', `/forges/${id}`)).toMatchObject({ status: 204, body: undefined });
    expect(await ingest.call('GET', `/forges/${id}`)).toMatchObject({ status: 404 });
    expect(await ingest.call('DELETE', `/forges/${id}`)).toMatchObject({ status: 404 });
  });

  it('stays when it has some', async () => {
    const id = await ingest.connect();
    await ingest.deliver(id, 'push', PUSH);

    expect(await ingest.call('DELETE', `/forges/${id}`)).toMatchObject({ status: 409, body: { message: expect.stringMatching(/"main" has repositories/) } });
  });

  it.each(['0', 'x', '1.5', '-1', '99999999999999999999'])('is not found as %s', async (id) => {
    expect(await ingest.call('GET', `/forges/${id}`)).toMatchObject({ status: 404 });
  });

  it('is one of a page', async () => {
    for (const name of ['a', 'b', 'c']) await ingest.connect({ name });

    const { body, headers } = await ingest.call('GET', '/forges?limit=2&page=2');

    expect([body.map((forge: { name: string }) => forge.name), headers.get('x-total-count')]).toEqual([['c'], '3']);
  });
});

describe('deliveries', () => {
  it('are listed newest first, by page, forge, repository and commit', async () => {
    const main = await ingest.connect();
    const other = await ingest.connect({ name: 'other', namespace: 'other' });
    const first = (await ingest.deliver(main, 'push', PUSH)).body.delivery;
    const second = (await ingest.deliver(main, 'push', { ...PUSH, before: B, after: C, head_commit: null })).body.delivery;
    const third = (await ingest.deliver(other, 'push', PUSH)).body.delivery;
    const list = async (query: string) => (await ingest.call('GET', `/deliveries${query}`)).body.map((delivery: { id: number }) => delivery.id);

    expect(await list('')).toEqual([third, second, first]);
    expect(await list('?limit=2&page=2')).toEqual([first]);
    expect(await list(`?forge=${main}`)).toEqual([second, first]);
    expect(await list('?repository=acme/app')).toEqual([second, first]);
    expect(await list(`?sha=${B}`)).toEqual([third, first]);
    expect(await list(`?sha=${B}&repository=other/App`)).toEqual([third]);
    expect(await list(`?sha=${A}`)).toEqual([]);
    expect(await ingest.call('GET', '/deliveries?repository=acme/none')).toMatchObject({
      status: 404,
      body: { message: expect.stringMatching(/first webhook/) },
    });
    expect(await ingest.call('GET', '/deliveries?repository=acme')).toMatchObject({ status: 404 });
  });

  it('say what came, and what became of it', async () => {
    const forge = await ingest.connect();
    const { delivery } = (await ingest.deliver(forge, 'push', PUSH)).body;
    const shown = {
      id: delivery,
      forge_id: forge,
      forge: 'main',
      event: 'push',
      action: null,
      repository: 'Acme/App',
      ref: 'refs/heads/main',
      sha: B,
      status: 'received',
      duplicate_of: null,
      received_at: expect.any(String),
      evaluated_at: null,
    };

    expect((await ingest.call('GET', '/deliveries')).body).toEqual([shown]);
    expect((await ingest.call('GET', `/deliveries/${delivery}`)).body).toEqual({ ...shown, trace: null });
    expect(await ingest.call('GET', '/deliveries/999999')).toMatchObject({ status: 404 });
    expect(await ingest.call('GET', '/deliveries/latest')).toMatchObject({ status: 404 });
  });
});

describe('the API', () => {
  it.each([
    ['GET', '/forges'],
    ['POST', '/forges'],
    ['GET', '/forges/1'],
    ['DELETE', '/forges/1'],
    ['GET', '/deliveries'],
    ['GET', '/deliveries/1'],
  ])('demands the admin token for %s %s', async (method, path) => {
    expect(await ingest.call(method, path, undefined, 'Bearer wrong')).toMatchObject({ status: 401 });
    expect((await ingest.call(method, path, undefined, `token ${TEST_SECRETS.ADMIN_TOKEN}`)).status).not.toBe(401);
  });
});
