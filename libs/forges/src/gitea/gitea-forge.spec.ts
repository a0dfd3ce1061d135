import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { forgeContract, httpForgeContract } from '../forge.contract';
import { type Answer, type StandIn, standIn } from './gitea.harness';
import { giteaForge } from './gitea-forge';

const TOKEN = 'canary-0123456789';
const SHA = 'a'.repeat(40);
const REPOSITORY = { forgeRepositoryId: '7', forgeFullName: 'o/old' };
const REPORT = {
  context: 'ci / a (push)',
  state: 'success',
  description: 'Successful in 5s',
  targetUrl: 'https://ci.example.org/o/old/actions/runs/1',
} as const;
const CREATED: Answer = { status: 201, json: { id: 1, context: 'ci / a (push)', status: 'success' } };
const POST_OLD = `POST /api/v1/repos/o/old/statuses/${SHA}`;
const POST_NEW = `POST /api/v1/repos/p/new/statuses/${SHA}`;
const facts = (owner: string, name: string) => ({
  status: 200,
  json: { id: 7, owner: { id: 3, login: owner }, name, default_branch: 'main', private: false, archived: false },
});

let forge: StandIn;
beforeEach(async () => {
  forge = await standIn();
  forge.on('GET /api/v1/version', { status: 200, json: { version: '1.26.0' } });
  forge.on('GET /api/v1/user', { status: 200, json: { id: 1, login: 'bot' } });
});
afterEach(() => forge.stop());

const UNDER_TEST = {
  name: 'Gitea',
  open: async (credential: { username: string | null; token: string | null }) => giteaForge({ url: forge.url, ...credential }),
  openUnreachable: async () => giteaForge({ url: 'http://127.0.0.1:9', username: null, token: TOKEN }),
  expectedRemote: () => `${forge.url}/team/app.git`,
  username: 'bot',
};
forgeContract(UNDER_TEST);
httpForgeContract(UNDER_TEST);

describe('trying a Gitea', () => {
  it('tells whose token it is', async () => {
    expect(await connect().verify()).toEqual({ username: 'bot' });
    expect(forge.seen.map((call) => call.authorization)).toEqual([`token ${TOKEN}`, `token ${TOKEN}`]);
  });

  it.each([
    [
      'a token that is not known',
      'GET /api/v1/user',
      { status: 401, json: { message: 'user does not exist' } },
      /answered 401 \(user does not exist\).*does not accept the token/,
    ],
    [
      'a token without the scope',
      'GET /api/v1/user',
      { status: 403, json: { message: 'required=[read:user]' } },
      /answered 403 \(required=\[read:user\]\).*read:user and write:repository/,
    ],
    ['something else than a Gitea', 'GET /api/v1/version', { status: 200, text: '<html>' }, /version/],
    ['no API at all', 'GET /api/v1/version', { status: 404, text: '<html>' }, /is this the address of a Gitea or Forgejo/],
    ['a redirect', 'GET /api/v1/version', { status: 301, headers: { location: 'https://example.org' } }, /give the address that it redirects to/],
    ['an endless answer', 'GET /api/v1/version', { status: 200, text: 'x'.repeat(2_000_000) }, /larger than/],
    ['a broken connection', 'GET /api/v1/version', { status: 200, hangUp: true }, /did not answer/],
  ] as const)('says what is wrong with %s, without the token', async (_what, call, answer: Answer, words) => {
    forge.on(call, answer);

    const refused = await connect()
      .verify()
      .catch((error) => error);

    expect(refused).toMatchObject({ code: 'upstream-failed', message: expect.stringMatching(words) });
    expect(refused.message).not.toContain('canary');
  });
});

describe('reading a repository', () => {
  it('goes by its number', async () => {
    forge.on('GET /api/v1/repositories/7', facts('p', 'new'));

    expect(await connect().api?.readRepository('7')).toEqual({
      forgeRepositoryId: '7',
      forgeOwnerId: '3',
      ownerName: 'p',
      name: 'new',
      fullName: 'p/new',
      defaultBranch: 'main',
      isPrivate: false,
      isArchived: false,
    });
  });

  it('says that it is gone', async () => {
    await expect(connect().api?.readRepository('7')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('says that the forge is unwell', async () => {
    forge.on('GET /api/v1/repositories/7', { status: 500, json: { message: 'database is locked' } });

    await expect(connect().api?.readRepository('7')).rejects.toMatchObject({
      code: 'upstream-failed',
      message: expect.stringMatching(/500 \(database is locked\)/),
    });
  });
});

describe('posting a status', () => {
  it('says what the commit should show', async () => {
    forge.on(POST_OLD, CREATED);

    expect(await post()).toEqual({ kind: 'posted', renamed: null });
    expect(forge.seen).toEqual([
      {
        call: POST_OLD,
        authorization: `token ${TOKEN}`,
        body: { context: 'ci / a (push)', state: 'success', description: 'Successful in 5s', target_url: REPORT.targetUrl },
      },
    ]);
  });

  it.each([301, 302, 307, 308, 404])('finds the repository again by its number when the old name is answered %d, and posts once', async (status) => {
    forge.on(POST_OLD, { status, headers: { location: '/api/v1/repos/p/new/statuses' } });
    forge.on('GET /api/v1/repositories/7', facts('p', 'new'));
    forge.on(POST_NEW, CREATED);

    const outcome = await post();

    expect(outcome).toEqual({ kind: 'posted', renamed: expect.objectContaining({ fullName: 'p/new' }) });
    expect(forge.seen.map((call) => call.call)).toEqual([POST_OLD, 'GET /api/v1/repositories/7', POST_NEW]);
  });

  it.each([
    ['404', { status: 404, json: { message: 'object does not exist' } }],
    ['500, as Gitea 1.26', { status: 500, json: { message: 'GetCommit[aaaa]: object does not exist [id: aaaa, rel_path: ]' } }],
  ])('gives up a commit that the repository does not know: %s', async (_what, answer) => {
    forge.on(POST_OLD, answer);
    forge.on('GET /api/v1/repositories/7', facts('o', 'old'));

    expect(await post()).toMatchObject({ kind: 'refused', isFinal: true, reason: expect.stringMatching(/object does not exist/) });
    expect(forge.seen.filter((call) => call.call.startsWith('POST'))).toHaveLength(1);
  });

  it('gives up a repository that is gone', async () => {
    expect(await post()).toMatchObject({ kind: 'refused', isFinal: true, reason: expect.stringMatching(/no repository with the id 7/) });
  });

  it.each([
    ['an older forge that knows no skipped', 422],
    ['one that says it otherwise', 400],
  ])('says success to %s', async (_what, status) => {
    forge.on(POST_OLD, { status, json: { message: 'invalid state' } }, CREATED);

    const outcome = await connect().api?.postStatus(REPOSITORY, SHA, { ...REPORT, state: 'skipped', description: 'Skipped' });

    expect(outcome).toEqual({ kind: 'posted', renamed: null });
    expect(forge.seen.map((call) => call.body)).toMatchObject([{ state: 'skipped' }, { state: 'success', description: 'Skipped' }]);
  });

  it.each([
    ['401', { status: 401 }, { isFinal: false, retryAfterMs: null }],
    ['403', { status: 403 }, { isFinal: false, retryAfterMs: null }],
    ['422', { status: 422, json: { message: 'too many statuses' } }, { isFinal: true }],
    ['429', { status: 429, headers: { 'retry-after': '60' } }, { isFinal: false, retryAfterMs: 60_000 }],
    ['429 without a time', { status: 429 }, { isFinal: false, retryAfterMs: null }],
    ['500', { status: 500 }, { isFinal: false }],
    ['a page of a proxy', { status: 200, text: '<html>' }, { isFinal: false }],
    ['201 for another context', { status: 201, json: { context: 'other' } }, { isFinal: false }],
    ['a broken connection', { status: 200, hangUp: true }, { isFinal: false, reason: expect.stringMatching(/did not answer/) }],
  ] as const)('returns whether to try again after %s, and shows no token', async (_what, answer: Answer, expected) => {
    forge.on(POST_OLD, answer);

    const outcome = await post();

    expect(outcome).toMatchObject({ kind: 'refused', ...expected });
    expect(JSON.stringify(outcome)).not.toContain('canary');
  });

  it('tries again later when the forge fails while the repository is looked for', async () => {
    forge.on('GET /api/v1/repositories/7', { status: 502 });

    expect(await post()).toMatchObject({ kind: 'refused', isFinal: false });
  });
});

function connect() {
  return giteaForge({ url: forge.url, username: 'bot', token: TOKEN });
}

function post() {
  return connect().api?.postStatus(REPOSITORY, SHA, REPORT);
}
