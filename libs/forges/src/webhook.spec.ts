import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { identifyWebhook, isSigned, readForgeEvent, type WebhookHeaders } from './webhook';

const SECRET = 'a secret of 24 characters';
const GITEA = { kind: 'gitea', name: 'main' } as const;
const GIT = { kind: 'git', name: 'plain' } as const;
const A = 'a'.repeat(40);
const B = 'b'.repeat(40);
const ZEROS = '0'.repeat(40);
const REPOSITORY = { id: 7, owner: { id: 3, login: 'Acme' }, name: 'App', default_branch: 'main', private: true, archived: false };

describe('a signature', () => {
  const body = Buffer.from('{"a":1}');
  const right = createHmac('sha256', SECRET).update(body).digest('hex');
  const other = createHmac('sha256', SECRET).update('{"a": 1}').digest('hex');
  const sha1 = createHmac('sha1', SECRET).update(body).digest('hex');

  it.each([
    ['bare', { 'x-gitea-signature': right }, true],
    ['bare, by Forgejo alone', { 'x-forgejo-signature': right }, true],
    ['prefixed', { 'x-hub-signature-256': `sha256=${right}` }, true],
    ['in upper case', { 'x-gitea-signature': right.toUpperCase() }, true],
    ['of the same JSON written otherwise', { 'x-gitea-signature': other }, false],
    ['empty, as without a secret', { 'x-gitea-signature': '', 'x-hub-signature-256': 'sha256=' }, false],
    ['empty and prefixed', { 'x-hub-signature-256': 'sha256=' }, false],
    ['SHA-1 alone', { 'x-hub-signature': `sha1=${sha1}` }, false],
    ['SHA-1 in the other header', { 'x-hub-signature-256': `sha1=${sha1}` }, false],
    ['cut', { 'x-gitea-signature': right.slice(0, 32) }, false],
    ['sent twice', { 'x-gitea-signature': [right, right] }, false],
    ['missing', {}, false],
    ['in the header of our hook script', { 'x-triphammer-signature': `sha256=${right}` }, false],
  ])('that is %s', (_what, headers: WebhookHeaders, isRight) => {
    expect(isSigned('gitea', headers, body, SECRET)).toBe(isRight);
  });

  it('of a plain git server stands in a header of its own', () => {
    expect(isSigned('git', { 'x-triphammer-signature': `sha256=${right}` }, body, SECRET)).toBe(true);
    expect(isSigned('git', { 'x-gitea-signature': right }, body, SECRET)).toBe(false);
  });
});

describe('a webhook’s name', () => {
  const body = Buffer.from('{}');

  it.each([
    [{ 'x-gitea-event': 'pull_request', 'x-gitea-event-type': 'pull_request_sync' }, 'pull_request_sync'],
    [{ 'x-forgejo-event': 'push', 'x-forgejo-event-type': 'push' }, 'push'],
    [{ 'x-gitea-event': 'push' }, 'push'],
  ])('is its finest one: %j', (headers: WebhookHeaders, event) => {
    expect(identifyWebhook('gitea', headers, body).event).toBe(event);
  });

  it.each([{}, { 'x-github-event': 'push' }, { 'x-gitea-event': 'Push!' }, { 'x-gitea-event': '' }])('is missing: %j', (headers: WebhookHeaders) => {
    expect(() => identifyWebhook('gitea', headers, body)).toThrow(
      expect.objectContaining({ code: 'invalid-input', message: expect.stringMatching(/X-Gitea-Event/i) }),
    );
  });

  it('comes with the forge’s delivery id, or with the digest of the body where there is none that can be kept', () => {
    const key = (headers: WebhookHeaders) => identifyWebhook('gitea', { 'x-gitea-event': 'push', ...headers }, body).deliveryKey;

    expect(key({ 'x-gitea-delivery': '003cb905-4a8e' })).toBe('003cb905-4a8e');
    expect(key({})).toBe('sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
    expect(key({ 'x-gitea-delivery': `x\u0000${'y'.repeat(10_000)}` })).toBe(key({}));
  });
});

describe('a push', () => {
  it.each([
    [
      'of an annotated tag is about the commit, not about the tag object',
      { ref: 'refs/tags/v1', before: ZEROS, after: B, head_commit: { id: A, message: 'm' } },
      { headCommitSha: A, after: B },
    ],
    ['of zeros onto zeros is a test', { before: ZEROS, after: ZEROS }, { isTest: true, isDeleted: true }],
    ['of a commit onto itself is a test', { before: A, after: A, head_commit: { id: A } }, { isTest: true, headCommitSha: A, headCommitMessage: null }],
    [
      'in a SHA-256 repository',
      { before: 'c'.repeat(64), after: 'd'.repeat(64), head_commit: { id: 'd'.repeat(64) } },
      { headCommitSha: 'd'.repeat(64), isTest: false },
    ],
    ['without a head commit', { head_commit: null, pusher: null }, { headCommitSha: B, headCommitMessage: null, pusher: null }],
    ['to a branch with slashes', { ref: 'refs/heads/a/b-ü"c' }, { refName: 'a/b-ü"c' }],
  ])('%s', (_what, fields, expected) => {
    expect(readPush(fields).push).toMatchObject(expected);
  });

  it.each([
    ['no ref', { ref: null }, /ref/],
    ['a short ref', { ref: 'main' }, /refs\//],
    ['an option for a ref', { ref: '--upload-pack=x' }, /refs\//],
    ['a refspec for a ref', { ref: 'refs/heads/a:refs/heads/b' }, /well-formed/],
    ['a ref that climbs', { ref: 'refs/heads/../x' }, /well-formed/],
    ['a line break in its ref', { ref: 'refs/heads/a\nb' }, /well-formed/],
    ['an option for a commit', { after: '--output=x' }, /after/],
    ['an abbreviated commit', { after: 'abc123' }, /after/],
    ['a commit in upper case', { head_commit: { id: A.toUpperCase() } }, /head_commit/],
    ['an owner that climbs', { repository: { ...REPOSITORY, owner: { id: 3, login: '..' } } }, /login/],
    ['a repository of two parts', { repository: { ...REPOSITORY, name: 'a/b' } }, /name/],
    ['a text for the repository’s number', { repository: { ...REPOSITORY, id: '7' } }, /id/],
    ['an ill-formed default branch', { repository: { ...REPOSITORY, default_branch: 'a b' } }, /default_branch/],
  ])('is refused with %s, by the field’s name', (_what, fields, words) => {
    expect(() => readPush(fields)).toThrow(expect.objectContaining({ code: 'invalid-input', message: expect.stringMatching(words) }));
  });
});

describe('an event', () => {
  it('may lack or null whatever was deleted at the forge, and bring what nobody knows', () => {
    const body = { action: null, repository: null, sender: null, pull_request: { head: { repo: null } }, brand_new: [{ a: 1 }] };

    expect(read('organization', body)).toMatchObject({ event: 'organization', action: null, repository: null, sender: null, ref: null, sha: null, push: null });
  });

  it('may begin with a byte order mark', () => {
    const body = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{"repository":null}')]);

    expect(readForgeEvent(GITEA, 'organization', body).payload).toEqual({ repository: null });
  });

  it.each([
    ['no JSON', 'payload=%7B%7D', /not JSON/],
    ['nothing', '', /not JSON/],
    ['no object', '[1]', /not an object/],
    ['null', 'null', /not an object/],
    ['10,000 nested arrays', `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, /deeper than 64/],
    ['three million values', `{"a":[${'0,'.repeat(3_000_000)}0]}`, /more than 2000000 values/],
  ])('is refused with %s', (_what, text, words) => {
    expect(() => readForgeEvent(GITEA, 'push', Buffer.from(text))).toThrow(
      expect.objectContaining({ code: 'invalid-input', message: expect.stringMatching(words) }),
    );
  });

  it('counts no bracket and no comma within a text', () => {
    const message = `${'[{'.repeat(1_000)} \\" \\\\ , ü 🔑`;

    expect(readPush({ head_commit: { id: B, message } }).push?.headCommitMessage).toBe(message);
  });
});

describe('a push to a plain git server', () => {
  const post = {
    delivery: 'x',
    repository: 'team/app.git',
    default_branch: 'main',
    pusher: 'alice',
    ref: 'refs/heads/main',
    before: A,
    after: B,
    head_commit: { id: B, message_base64: 'w7w=' },
  };
  const readPost = (fields: object) => readForgeEvent(GIT, 'push', Buffer.from(JSON.stringify({ ...post, ...fields })));

  it('looks to workflows like one that GitHub reports', () => {
    const { push, payload } = readPost({});

    expect(push).toMatchObject({ ref: 'refs/heads/main', headCommitSha: B, headCommitMessage: 'ü', pusher: 'alice', isTest: false });
    expect(payload).toMatchObject({
      ref: 'refs/heads/main',
      before: A,
      after: B,
      head_commit: { id: B, message: 'ü' },
      repository: { full_name: 'team/app', default_branch: 'main', owner: { login: 'team' } },
      pusher: { name: 'alice' },
    });
  });

  it.each([
    ['app.git', 'plain', 'app', 'app'],
    ['team/app.git', 'team', 'app', 'team/app'],
    ['team/sub/app', 'team', 'app', 'team/sub/app'],
  ])('to %s concerns owner %s, repository %s', (repository, ownerName, name, fullName) => {
    expect(readPost({ repository }).repository).toMatchObject({ forgeRepositoryId: repository, ownerName, name, fullName, isPrivate: true });
  });

  it.each(['', '/etc/x.git', '../x.git', 'a//b', 'a/./b', 'a b', 'a\u0000'])('to %j is refused', (repository) => {
    expect(() => readPost({ repository })).toThrow(expect.objectContaining({ code: 'invalid-input', message: expect.stringMatching(/repository/) }));
  });
});

describe('foreign bytes', () => {
  it('are read or refused, and nothing else', () => {
    const value = fc.oneof(
      fc.json(),
      fc.string(),
      fc.jsonValue().map((fields) => JSON.stringify({ repository: REPOSITORY, ref: 'refs/heads/x', before: A, after: B, ...(fields as object) })),
    );

    fc.assert(
      fc.property(value, fc.constantFrom(GITEA, GIT), (text, connection) => {
        try {
          readForgeEvent(connection, 'push', Buffer.from(text));
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid-input' });
        }
      }),
    );
  });
});

function readPush(fields: object) {
  return read('push', {
    ref: 'refs/heads/main',
    before: A,
    after: B,
    head_commit: { id: B, message: 'm' },
    repository: REPOSITORY,
    sender: { id: 1, login: 'dev' },
    ...fields,
  });
}

function read(event: string, body: object) {
  return readForgeEvent(GITEA, event, Buffer.from(JSON.stringify(body)));
}
