import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { GitRemote } from '../forge';
import { folderSize } from './folder-size';
import { type GitServer, makeOrigin, type Origin, serveGit, tempFolder } from './git.harness';
import { type CachedRepository, GitCache } from './git-cache';

jest.setTimeout(60_000);

const ZEROS = '0'.repeat(40);
const FOLDERS = ['.gitea/workflows', '.forgejo/workflows', '.github/workflows'];
const SECRET = 'Basic Ym90OmNhbmFyeQ==';

let origin: Origin;
let root: string;
let cache: GitCache;
const path = process.env.PATH;
const servers: GitServer[] = [];

beforeEach(() => {
  root = tempFolder();
  origin = makeOrigin();
  cache = new GitCache(root);
});
afterEach(async () => {
  process.env.PATH = path;
  for (const server of servers.splice(0)) await server.stop();
});

const REMOTES: readonly (readonly [string, () => Promise<GitRemote>])[] = [
  ['a folder', async () => ({ kind: 'path', path: origin.bare })],
  ['a server', async () => http({})],
  ['an old server', async () => http({ isOld: true })],
];

describe.each(REMOTES)('with %s', (_what, remoteOf) => {
  it('tells what a push changed: the net difference, a rename as two', async () => {
    const before = origin.commit('one', { 'a.txt': 'a', 'b.txt': 'b', 'c/d.txt': 'd'.repeat(500) });
    origin.commit('add', { 'gone.txt': 'x', 'ü ö.txt': 'x' });
    const after = origin.commit('more', { 'gone.txt': null, 'a.txt': 'A', 'c/d.txt': null, 'c/e.txt': 'd'.repeat(500) });
    origin.push('refs/heads/main');

    const changed = await cache.changedFiles(await repository(remoteOf), { ref: 'refs/heads/main', before, after, defaultBranch: 'main' });

    expect(changed).toEqual(['a.txt', 'c/d.txt', 'c/e.txt', 'ü ö.txt']);
  });

  it('tells what a new branch changed: all its own commits, and no more', async () => {
    origin.commit('one', { 'a.txt': 'a', 'b.txt': 'b' });
    origin.push('refs/heads/main');
    origin.git('checkout', '--quiet', '-b', 'feature');
    origin.commit('first', { 'first.txt': 'x' });
    const after = origin.commit('second', { 'b.txt': 'B' });
    origin.push('refs/heads/feature');
    origin.git('checkout', '--quiet', '-');
    origin.commit('meanwhile', { 'a.txt': 'A' });
    origin.push('refs/heads/main');

    const changed = await cache.changedFiles(await repository(remoteOf), { ref: 'refs/heads/feature', before: ZEROS, after, defaultBranch: 'main' });

    expect(changed).toEqual(['b.txt', 'first.txt']);
  });

  it('takes all files for new on the first push, and on a branch without a common past', async () => {
    const first = origin.commit('one', { 'a.txt': 'a' });
    origin.push('refs/heads/main');
    origin.git('checkout', '--quiet', '--orphan', 'pages');
    const pages = origin.commit('pages', { 'index.html': 'x' });
    origin.push('refs/heads/pages');
    const source = await repository(remoteOf);

    expect(await cache.changedFiles(source, { ref: 'refs/heads/main', before: ZEROS, after: first, defaultBranch: 'main' })).toEqual(['a.txt']);
    expect(await cache.changedFiles(source, { ref: 'refs/heads/pages', before: ZEROS, after: pages, defaultBranch: 'main' })).toEqual(['a.txt', 'index.html']);
  });

  it('knows no difference for a new branch without a commit of its own', async () => {
    const after = origin.commit('one', { 'a.txt': 'a' });
    origin.push('refs/heads/main');
    origin.push('refs/heads/release');

    expect(await cache.changedFiles(await repository(remoteOf), { ref: 'refs/heads/release', before: ZEROS, after, defaultBranch: 'main' })).toBeUndefined();
  });

  it('tells an empty difference from one that cannot be had', async () => {
    const before = origin.commit('one', { 'a.txt': 'a' });
    const after = origin.commit('empty', {});
    origin.push('refs/heads/main');
    const source = await repository(remoteOf);

    expect(await cache.changedFiles(source, { ref: 'refs/heads/main', before, after, defaultBranch: 'main' })).toEqual([]);
    expect(await cache.changedFiles(source, { ref: 'refs/heads/main', before: '1'.repeat(40), after, defaultBranch: 'main' })).toBeUndefined();
  });

  it('reads the workflows of the first folder that exists, at any depth, and nothing else', async () => {
    const sha = origin.commit('one', {
      '.forgejo/workflows/ci.yml': 'on: push\n',
      '.forgejo/workflows/sub/release.yaml': 'name: Ünïcode\n',
      '.forgejo/workflows/README.md': 'no',
      '.forgejo/workflows/empty.yml': '',
      '.forgejo/workflows-old/no.yml': 'no',
      '.github/workflows/other.yml': 'no',
    });
    origin.push('refs/heads/main');

    const found = await cache.workflowFiles(await repository(remoteOf), sha, FOLDERS);

    expect(found).toEqual({
      folder: '.forgejo/workflows',
      files: [
        { path: 'ci.yml', text: 'on: push\n', blobId: expect.stringMatching(/^[0-9a-f]{40}$/) },
        { path: 'empty.yml', text: '', blobId: expect.stringMatching(/^[0-9a-f]{40}$/) },
        { path: 'sub/release.yaml', text: 'name: Ünïcode\n', blobId: expect.stringMatching(/^[0-9a-f]{40}$/) },
      ],
      skipped: [],
    });
  });

  it('finds the commit behind an annotated tag, and its message', async () => {
    const commit = origin.commit('Subject\n\nBody, "quoted", ünïcode', { 'a.txt': 'a' });
    origin.git('tag', '-a', 'v1', '-m', 'the tag');
    const tag = origin.git('rev-parse', 'v1');
    origin.push('refs/heads/main');
    origin.push('refs/tags/v1', 'v1');
    const source = await repository(remoteOf);

    expect(tag).not.toBe(commit);
    expect(await cache.commitOf(source, tag)).toBe(commit);
    expect(await cache.commitOf(source, commit)).toBe(commit);
    expect(await cache.commitMessage(source, tag)).toBe('Subject\n\nBody, "quoted", ünïcode');
  });

  it('says that a commit is not there', async () => {
    origin.commit('one', { 'a.txt': 'a' });
    origin.push('refs/heads/main');

    await expect(cache.commitOf(await repository(remoteOf), '1'.repeat(40))).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('the git cache', () => {
  it('finds a commit that a force push took off its branch', async () => {
    const base = origin.commit('one', { 'a.txt': 'a' });
    const lost = origin.commit('lost', { 'b.txt': 'b' });
    origin.push('refs/heads/main');
    origin.git('reset', '--quiet', '--hard', base);
    const after = origin.commit('instead', { 'c.txt': 'c' });
    origin.push('refs/heads/main');

    const source = await repository(async () => http({}));

    expect(await cache.changedFiles(source, { ref: 'refs/heads/main', before: lost, after, defaultBranch: 'main' })).toEqual(['b.txt', 'c.txt']);
  });

  it('reaches an older commit of an old server only by the ref it was pushed to', async () => {
    const old = origin.commit('one', { 'a.txt': 'a' });
    origin.commit('two', { 'a.txt': 'b' });
    origin.push('refs/heads/main');
    const remote = await http({ isOld: true });

    await expect(cache.commitOf({ id: 1, remote }, old)).rejects.toMatchObject({ code: 'not-found' });
    expect(await cache.commitOf({ id: 1, remote, ref: 'refs/heads/main' }, old)).toBe(old);
  });

  it('reads SHA-256 repositories', async () => {
    origin = makeOrigin(tempFolder(), 'sha256');
    const before = origin.commit('one', { 'a.txt': 'a' });
    const after = origin.commit('two', { '.gitea/workflows/ci.yml': 'on: push' });
    origin.push('refs/heads/main');
    const source = await repository(async () => ({ kind: 'path', path: origin.bare }));

    expect(after).toHaveLength(64);
    expect(await cache.changedFiles(source, { ref: 'refs/heads/main', before, after, defaultBranch: 'main' })).toEqual(['.gitea/workflows/ci.yml']);
    expect((await cache.workflowFiles(source, after, FOLDERS))?.files).toMatchObject([{ path: 'ci.yml', text: 'on: push' }]);
  });

  it('reads a folder that belongs to another user', async () => {
    const sha = origin.commit('one', { 'a.txt': 'a' });
    origin.push('refs/heads/main');
    // Only root can give a folder away; for others this is the test above again.
    if (process.getuid?.() === 0) chownSync(origin.bare, 12_345, 12_345);

    expect(await cache.commitOf({ id: 1, remote: { kind: 'path', path: origin.bare } }, sha)).toBe(sha);
  });

  it('leaves out what is no file of its own, too large, or too much', async () => {
    const many = Object.fromEntries(Array.from({ length: 256 }, (_, index) => [`.gitea/workflows/m${String(index).padStart(3, '0')}.yml`, 'x']));
    mkdirSync(join(origin.work, '.gitea/workflows'), { recursive: true });
    symlinkSync('/etc/passwd', join(origin.work, '.gitea/workflows/link.yml'));
    const sha = origin.commit('one', { ...many, '.gitea/workflows/a-large.yml': 'x'.repeat(1024 * 1024 + 1), '.gitea/workflows/z.yml': 'x' });
    origin.push('refs/heads/main');

    const found = await cache.workflowFiles(await repository(async () => http({})), sha, FOLDERS);

    expect(found?.files).toHaveLength(255);
    expect(found?.skipped.map((file) => file.path)).toEqual(['a-large.yml', 'm255.yml', 'z.yml']);
  });

  it('fetches no contents but those of workflows', async () => {
    const sha = origin.commit('one', { 'large.bin': Array.from({ length: 40_000 }, () => Math.random()).join(), '.gitea/workflows/ci.yml': 'on: push' });
    origin.push('refs/heads/main');

    await cache.workflowFiles(await repository(async () => http({})), sha, FOLDERS);

    expect(await folderSize(root)).toBeLessThan(100_000);
  });

  it('keeps its answers apart when they are asked for at once', async () => {
    const before = origin.commit('one', { 'a.txt': 'a' });
    const after = origin.commit('two', { 'b.txt': 'b' });
    origin.push('refs/heads/main');
    const source = await repository(async () => http({}));

    const answers = await Promise.all([
      cache.changedFiles(source, { ref: 'refs/heads/main', before, after, defaultBranch: 'main' }),
      cache.commitMessage(source, before),
      cache.fetch(source, [before, after]),
      cache.changedFiles(source, { ref: 'refs/heads/main', before, after, defaultBranch: 'main' }),
      cache.commitOf(source, '1'.repeat(40)).catch((error) => error.code),
    ]);

    expect(answers).toEqual([['b.txt'], 'one', undefined, ['b.txt'], 'not-found']);
  });

  it('gives the credential to the forge and shows it nowhere: not in errors, not on a command line, not on the disk', async () => {
    const sha = origin.commit('one', { 'a.txt': 'a' });
    origin.push('refs/heads/main');
    const [open, closed] = [await http({ authorization: SECRET }), await http({ authorization: 'Basic other' })];
    const spy = spyOnGit();

    const found = await cache.commitOf({ id: 1, remote: { ...open, authorization: SECRET } }, sha);
    const refused = await cache.commitOf({ id: 2, remote: { ...closed, authorization: SECRET } }, sha).catch((error) => error);

    expect(found).toBe(sha);
    expect(refused).toMatchObject({ code: 'upstream-failed', message: expect.stringMatching(/refuses the credential/) });
    expect(refused.message).not.toMatch(/Ym90/);
    expect(spy.commandLines()).toMatch(/^fetch /m);
    expect(spy.commandLines()).not.toMatch(/Ym90/);
    expect(filesWith(root, 'Ym90')).toEqual([]);
  });

  it('does not follow a redirect, and says so', async () => {
    const sha = origin.commit('one', { 'a.txt': 'a' });
    origin.push('refs/heads/main');
    const target = await serve({});
    const remote = await http({ redirectTo: target.url });

    await expect(cache.commitOf({ id: 1, remote: { ...remote, authorization: SECRET } }, sha)).rejects.toMatchObject({
      code: 'upstream-failed',
      message: expect.stringMatching(/redirects/),
    });
    expect(target.authorizations).toEqual([]);
  });

  it.each([
    ['a repository that is not there', async () => ({ ...(await http({})), url: `${servers[0]?.url}/no.git` }), /cannot be found/],
    ['a folder that is not there', async () => ({ kind: 'path', path: '/nonexistent/app.git' }) as const, /cannot be found/],
    ['a host that does not answer', async () => ({ kind: 'http', url: 'http://127.0.0.1:9/app.git' }) as const, /cannot be fetched/],
    ['a protocol that is not allowed', async () => ({ kind: 'http', url: 'ext::sh -c touch% /tmp/pwned' }) as const, /cannot be fetched/],
  ])('says what is wrong with %s', async (_what, remoteOf, words) => {
    await expect(cache.commitOf(await repository(remoteOf), '1'.repeat(40))).rejects.toMatchObject({
      code: 'upstream-failed',
      message: expect.stringMatching(words),
    });
  });

  it('is cut back by the repositories that were used longest ago', async () => {
    const sha = origin.commit('one', { 'a.txt': 'a' });
    origin.push('refs/heads/main');
    const remote = { kind: 'path', path: origin.bare } as const;
    for (const id of [1, 2, 3]) await cache.commitOf({ id, remote }, sha);
    const own = join(root, readdirSync(root)[0] as string);
    utimesSync(join(own, '1.git', 'used'), new Date(1_000), new Date(1_000));
    const size = await folderSize(join(own, '2.git'));

    await cache.cutBack(size * 2.5, new Date());

    expect(readdirSync(own).sort()).toEqual(['2.git', '3.git']);
    expect(await cache.commitOf({ id: 1, remote }, sha)).toBe(sha);
  });

  it('removes what a process that is gone left behind, and leaves a live one and strangers alone', async () => {
    const now = new Date();
    const hours = (count: number) => new Date(now.getTime() - count * 3_600_000);
    const folders = ['11111111-1111-1111-1111-111111111111', '22222222-2222-2222-2222-222222222222', 'lost+found'] as const;
    for (const folder of folders) mkdirSync(join(root, folder));
    utimesSync(join(root, folders[0]), hours(7), hours(7));
    utimesSync(join(root, folders[1]), hours(5), hours(5));
    utimesSync(join(root, folders[2]), hours(99), hours(99));

    await cache.cutBack(0, now);

    expect(folders.map((folder) => existsSync(join(root, folder)))).toEqual([false, true, true]);
  });
});

async function repository(remoteOf: () => Promise<GitRemote>): Promise<CachedRepository> {
  return { id: 1, remote: await remoteOf(), ref: 'refs/heads/main' };
}

async function serve(options: Parameters<typeof serveGit>[1]): Promise<GitServer> {
  const server = await serveGit(join(origin.bare, '..'), options);
  servers.push(server);
  return server;
}

async function http(options: Parameters<typeof serveGit>[1]): Promise<GitRemote & { kind: 'http' }> {
  return { kind: 'http', url: `${(await serve(options)).url}/app.git` };
}

/** Puts a git before the real one that writes its command line down. */
function spyOnGit(): { commandLines(): string } {
  const folder = tempFolder();
  const lines = join(folder, 'lines');
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(join(folder, 'git'), `#!/bin/sh\nprintf '%s\\n' "$*" >>'${lines}'\nexec '${real}' "$@"\n`);
  chmodSync(join(folder, 'git'), 0o755);
  process.env.PATH = `${folder}:${path}`;
  return { commandLines: () => readFileSync(lines, 'utf8') };
}

function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(text))
    .map((entry) => entry.name);
}
