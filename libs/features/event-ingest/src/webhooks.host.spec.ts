import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { poolOf } from '@triphammer/models';
import { register } from 'prom-client';
import { A, B, EventIngestHarness, PUSH, REPOSITORY, sign, WEBHOOK_SECRET } from './event-ingest.harness';

const ZEROS = '0'.repeat(40);

let ingest: EventIngestHarness;
let forge: number;

beforeAll(async () => {
  ingest = await EventIngestHarness.start({ WEBHOOK_BODY_LIMIT: '1 MiB' });
});
beforeEach(async () => {
  forge = await ingest.connect();
});
afterEach(() => ingest.clear());
afterAll(() => ingest.stop());

describe('a webhook', () => {
  it('is stored as it came, announced, and acknowledged with its number', async () => {
    const bytes = Buffer.from(`\uFEFF${JSON.stringify(PUSH, null, 3)}\n`);

    const answer = await ingest.deliver(forge, 'push', bytes);

    expect(answer).toEqual({ status: 202, body: { delivery: expect.any(Number) } });
    expect(await ingest.rows('select id, connection_id, event, ref, sha, before, after, status, body from delivery')).toEqual([
      { id: answer.body.delivery, connection_id: forge, event: 'push', ref: 'refs/heads/main', sha: B, before: A, after: B, status: 'received', body: bytes },
    ]);
    expect(await ingest.announced()).toEqual([answer.body.delivery]);
  });

  it('makes owner and repository known, and follows their renames', async () => {
    await ingest.deliver(forge, 'push', PUSH);
    await ingest.deliver(forge, 'issues', { action: 'opened', repository: { ...REPOSITORY, owner: { id: 3, login: 'Apex' }, name: 'Tool' } });

    expect(await ingest.rows('select o.name as owner, r.name, r.forge_full_name from repository r join owner o on o.id = r.owner_id')).toEqual([
      { owner: 'Apex', name: 'Tool', forge_full_name: 'Apex/Tool' },
    ]);
  });

  it('puts everything of a connection with a namespace under that owner', async () => {
    const named = await ingest.connect({ name: 'second', namespace: 'mirror' });
    await ingest.deliver(forge, 'push', PUSH);
    await ingest.deliver(named, 'push', PUSH);

    expect(await ingest.rows('select o.name as owner, r.name from repository r join owner o on o.id = r.owner_id order by 1')).toEqual([
      { owner: 'Acme', name: 'App' },
      { owner: 'mirror', name: 'App' },
    ]);
  });

  it('that only tries the connection is green and starts nothing', async () => {
    const answer = await ingest.deliver(forge, 'push', { ...PUSH, before: ZEROS, after: ZEROS, head_commit: { id: ZEROS, message: 'This is a fake commit' } });

    expect(answer.status).toBe(202);
    expect(await ingest.announced()).toEqual([]);
    expect((await ingest.call('GET', `/deliveries/${answer.body.delivery}`)).body).toMatchObject({ status: 'evaluated', trace: { code: 'test-delivery' } });
  });

  it('about no repository is kept and starts nothing', async () => {
    const answer = await ingest.deliver(forge, 'organization', { action: 'created' });

    expect([answer.status, await ingest.announced()]).toEqual([202, []]);
  });
});

describe('a webhook that comes twice', () => {
  it('is one, and both are told its number, also when both come at once', async () => {
    const headers = { 'x-gitea-delivery': 'the-same' };

    const first = await ingest.deliver(forge, 'push', PUSH, headers);
    const more = await Promise.all([1, 2, 3, 4].map(() => ingest.deliver(forge, 'push', PUSH, headers)));

    expect(more).toEqual(Array.from({ length: 4 }, () => ({ status: 200, body: { delivery: first.body.delivery, duplicate: true } })));
    expect(await ingest.announced()).toEqual([first.body.delivery]);
  });

  it('races itself to one delivery', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => ingest.deliver(forge, 'push', PUSH, { 'x-gitea-delivery': 'racing' })));

    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 202]);
    expect(new Set(answers.map((answer) => answer.body.delivery)).size).toBe(1);
    expect(await ingest.announced()).toHaveLength(1);
  });

  it('under a new id, as by the forge’s replay button, is kept as a duplicate and announced once', async () => {
    const first = await ingest.deliver(forge, 'push', PUSH);
    const replay = await ingest.deliver(forge, 'push', PUSH);

    expect(replay).toEqual({ status: 200, body: { delivery: first.body.delivery, duplicate: true } });
    expect(await ingest.rows('select status, duplicate_of from delivery order by id')).toEqual([
      { status: 'received', duplicate_of: null },
      { status: 'duplicate', duplicate_of: first.body.delivery },
    ]);
    expect(await ingest.announced()).toEqual([first.body.delivery]);
  });
});

describe('a webhook is refused and nothing is stored', () => {
  const body = Buffer.from(JSON.stringify(PUSH));

  it.each([
    ['without a signature', { 'x-gitea-signature': undefined }, 401, /not signed.*"main"/],
    ['with an empty signature', { 'x-gitea-signature': '', 'x-hub-signature-256': 'sha256=' }, 401, /signature is missing or wrong/],
    ['signed with another secret', { 'x-gitea-signature': sign(body, 'another') }, 401, /must be that of the forge connection "main"/],
    ['signed by SHA-1 alone', { 'x-gitea-signature': undefined, 'x-hub-signature': 'sha1=00' }, 401, /not signed/],
    ['without the name of its event', { 'x-gitea-event': undefined, 'x-gitea-event-type': undefined }, 400, /X-Gitea-Event/i],
    [
      'as a form',
      { 'content-type': 'application/x-www-form-urlencoded' },
      415,
      /came as application\/x-www-form-urlencoded\. Set the content type of the webhook to application\/json/,
    ],
    ['compressed', { 'content-encoding': 'gzip' }, 415, /compressed \(gzip\)/],
  ])('%s', async (_what, headers: Record<string, string | undefined>, status, words) => {
    const answer = await ingest.deliver(forge, 'push', body, headers);

    expect(answer).toEqual({ status, body: { message: expect.stringMatching(words) } });
    expect(await ingest.rows('select id from delivery union all select id from repository union all select id from owner')).toEqual([]);
  });

  it.each(['0', '999999', '-1', 'main', '1e3', '99999999999999999999'])('for the connection %s, which does not exist', async (id) => {
    expect(await ingest.deliver(id, 'push', PUSH)).toEqual({ status: 404, body: { message: expect.stringMatching(/no such forge connection/) } });
  });

  it('with GET, whatever it carries', async () => {
    const answer = await fetch(`${ingest.service.url}/webhooks/${forge}?payload=%7B%7D`);

    expect([answer.status, await answer.json()]).toEqual([415, { message: expect.stringMatching(/method of the webhook to POST/) }]);
  });

  it('above the limit, before its body is read', async () => {
    expect(await announceOnly(forge, 1024 * 1024 + 1)).toEqual({
      status: 413,
      body: { message: 'The webhook is larger than 1 MiB (the setting WEBHOOK_BODY_LIMIT).' },
    });
  });

  it('unsigned, before its body is read', async () => {
    expect(await announceOnly(forge, 1_000_000, { 'x-gitea-signature': undefined })).toMatchObject({ status: 401 });
  });
});

describe('a signed webhook that cannot be evaluated', () => {
  it.each([
    ['is not JSON', Buffer.from('{"a":'), /not JSON/],
    ['is nested without end', Buffer.from('['.repeat(10_000)), /deeper than 64/],
    ['is no push', Buffer.from('{"ref":"main"}'), /ref: must begin with "refs\/"/],
  ])('because it %s is kept with the reason, and not sent again', async (_what, body, words) => {
    const answer = await ingest.deliver(forge, 'push', body);

    expect(answer).toEqual({ status: 202, body: { delivery: expect.any(Number), message: expect.stringMatching(words) } });
    expect(await ingest.rows("select status, trace->>'text' as text, body from delivery")).toEqual([
      { status: 'refused', text: expect.stringMatching(words), body },
    ]);
    expect(await ingest.announced()).toEqual([]);
  });

  it('because another connection holds its owner’s name is kept, and both sides read the way out', async () => {
    const second = await ingest.connect({ name: 'second' });
    await ingest.deliver(forge, 'push', PUSH);

    const answer = await ingest.deliver(second, 'push', PUSH);

    expect(answer).toEqual({ status: 409, body: { delivery: expect.any(Number), message: expect.stringMatching(/forge add --namespace/) } });
    expect((await ingest.call('GET', `/deliveries/${answer.body.delivery}`)).body).toMatchObject({
      status: 'refused',
      trace: { text: expect.stringMatching(/forge add --namespace/) },
    });
    expect(await ingest.announced()).toHaveLength(1);
  });
});

describe('a push to a plain git server', () => {
  it('comes in the words of our hook script', async () => {
    const plain = await ingest.connect({ kind: 'git', name: 'plain', url: '/srv/git', token: undefined });
    const post = {
      delivery: 'x',
      repository: 'team/app.git',
      default_branch: 'main',
      pusher: 'alice',
      ref: 'refs/heads/main',
      before: A,
      after: B,
      head_commit: { id: B, message_base64: 'aGk=' },
    };
    const body = Buffer.from(JSON.stringify(post));
    const headers = { 'x-gitea-signature': undefined, 'x-gitea-delivery': undefined, 'x-triphammer-signature': `sha256=${sign(body)}` };

    const first = await ingest.deliver(plain, 'push', body, headers);
    const again = await ingest.deliver(plain, 'push', body, headers);

    expect(first).toEqual({ status: 202, body: { delivery: expect.any(Number) } });
    expect(again).toEqual({ status: 200, body: { delivery: first.body.delivery, duplicate: true } });
    expect(
      await ingest.rows('select o.name as owner, r.name, r.forge_repository_id, r.is_private from repository r join owner o on o.id = r.owner_id'),
    ).toEqual([{ owner: 'team', name: 'app', forge_repository_id: 'team/app.git', is_private: true }]);
  });
});

describe('all or nothing', () => {
  it('holds for delivery, repository and announcement', async () => {
    const pool = poolOf(ingest.database.dataSource);
    await pool.query('alter table outbox add constraint full_up check (false) not valid');

    const answer = await ingest.deliver(forge, 'push', PUSH);
    await pool.query('alter table outbox drop constraint full_up');

    expect(answer).toEqual({ status: 500, body: { message: expect.stringMatching(/could not be stored/) } });
    expect(await ingest.rows('select id from delivery union all select id from repository')).toEqual([]);
  });
});

describe('the metric of deliveries', () => {
  it('counts by forge, event and verdict, and gives no stranger a label of his own', async () => {
    register.resetMetrics();
    await ingest.deliver(forge, 'push', PUSH);
    await ingest.deliver(forge, 'push', PUSH);
    await ingest.deliver(forge, 'made_up', { action: 'x' });
    await ingest.deliver(forge, 'push', PUSH, { 'x-gitea-signature': undefined });

    const { values } = (await register.getSingleMetric('triphammer_hook_deliveries_total')?.get()) ?? { values: [] };

    expect(values.map(({ labels, value }) => [labels.forge, labels.event, labels.verdict, value])).toEqual([
      ['main', 'push', 'received', 1],
      ['main', 'push', 'duplicate', 1],
      ['main', 'other', 'evaluated', 1],
      ['main', 'other', 'unsigned', 1],
    ]);
  });
});

/** Says how much would come, and sends nothing of it. */
function announceOnly(connectionId: number, length: number, without: Record<string, undefined> = {}): Promise<{ status: number | undefined; body: unknown }> {
  const headers = { 'content-type': 'application/json', 'content-length': length, 'x-gitea-event': 'push', 'x-gitea-signature': WEBHOOK_SECRET, ...without };
  const given = Object.fromEntries(Object.entries(headers).filter((entry) => entry[1] !== undefined)) as Record<string, string | number>;
  return new Promise((resolve, reject) => {
    const outgoing = request(`${ingest.service.url}/webhooks/${connectionId}`, { method: 'POST', headers: given, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        resolve({ status: answer.statusCode, body: JSON.parse(Buffer.concat(chunks).toString()) });
        outgoing.destroy();
      });
    });
    outgoing.on('error', reject);
    outgoing.flushHeaders();
  });
}
