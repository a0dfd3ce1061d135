import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { folderSize } from './folder-size';
import { GitServers, makeOrigin, type Origin, removeTempFolders, tempFolder } from './git.harness';
import { type CachedRepository, GitCache } from './git-cache';

const FOLDERS = ['.gitea/workflows', '.forgejo/workflows', '.github/workflows'];
const SECRET = 'Basic Ym90OmNhbmFyeQ==';

let origin: Origin;
let root: string;
let cache: GitCache;
const path = process.env.PATH;
const servers = new GitServers();

beforeEach(() => {
  root = tempFolder();
  origin = makeOrigin();
  cache = new GitCache(root);
});
afterAll(removeTempFolders);
afterEach(async () => {
  process.env.PATH = path;
  await servers.stop();
});

describe('the git cache', () => {
  it('finds a commit that a force push took off its branch', async () => {
    const base = origin.commit('one', { 'a.txt': 'a' });
    const lost = origin.commit('lost', { 'b.txt': 'b' });
    origin.push('refs/heads/main');
    origin.git('reset', '--quiet', '--hard', base);
    const after = origin.commit('instead', { 'c.txt': 'c' });
    origin.push('refs/heads/main');

    const source = await served();

    expect(await cache.changedFiles(source, { ref: 'refs/heads/main', before: lost, after, defaultBranch: 'main' })).toEqual(['b.txt', 'c.txt']);
  });

  it('reaches an older commit of an old server only by the ref it was pushed to', async () => {
    const old = origin.commit('one', { 'a.txt': 'a' });
    origin.commit('two', { 'a.txt': 'b' });
    origin.push('refs/heads/main');
    const remote = await servers.remote(origin, { isOld: true });

    await expect(cache.commitOf({ id: 1, remote }, old)).rejects.toMatchObject({ code: 'not-found' });
    expect(await cache.commitOf({ id: 1, remote, ref: 'refs/heads/main' }, old)).toBe(old);
  });

  it('reads SHA-256 repositories', async () => {
    origin = makeOrigin(tempFolder(), 'sha256');
    const before = origin.commit('one', { 'a.txt': 'a' });
    const after = origin.commit('two', { '.gitea/workflows/ci.yml': 'on: push' });
    origin.push('refs/heads/main');
    const source = { id: 1, remote: { kind: 'path', path: origin.bare } } as const;

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

    const found = await cache.workflowFiles(await served(), sha, FOLDERS);

    expect(found?.files).toHaveLength(255);
    expect(found?.skipped.map((file) => file.path)).toEqual(['a-large.yml', 'm255.yml', 'z.yml']);
  });

  it('fetches no contents but those of workflows', async () => {
    const sha = origin.commit('one', { 'large.bin': Array.from({ length: 40_000 }, () => Math.random()).join(), '.gitea/workflows/ci.yml': 'on: push' });
    origin.push('refs/heads/main');

    await cache.workflowFiles(await served(), sha, FOLDERS);

    expect(await folderSize(root)).toBeLessThan(100_000);
  });

  it('keeps its answers apart when they are asked for at once', async () => {
    const before = origin.commit('one', { 'a.txt': 'a' });
    const after = origin.commit('two', { 'b.txt': 'b' });
    origin.push('refs/heads/main');
    const source = await served();

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
    const [open, closed] = [await servers.remote(origin, { authorization: SECRET }), await servers.remote(origin, { authorization: 'Basic other' })];
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
    const target = await servers.serve(origin);
    const remote = await servers.remote(origin, { redirectTo: target.url });

    await expect(cache.commitOf({ id: 1, remote: { ...remote, authorization: SECRET } }, sha)).rejects.toMatchObject({
      code: 'upstream-failed',
      message: expect.stringMatching(/redirects/),
    });
    expect(target.authorizations).toEqual([]);
  });

  it.each([
    ['a repository that is not there', async () => ({ kind: 'http', url: `${(await servers.serve(origin)).url}/no.git` }) as const, /cannot be found/],
    ['a folder that is not there', async () => ({ kind: 'path', path: '/nonexistent/app.git' }) as const, /cannot be found/],
    ['a host that does not answer', async () => ({ kind: 'http', url: 'http://127.0.0.1:9/app.git' }) as const, /cannot be fetched/],
    ['a protocol that is not allowed', async () => ({ kind: 'http', url: 'ext::sh -c touch% /tmp/pwned' }) as const, /cannot be fetched/],
  ])('says what is wrong with %s', async (_what, remoteOf, words) => {
    await expect(cache.commitOf({ id: 1, remote: await remoteOf() }, '1'.repeat(40))).rejects.toMatchObject({
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

async function served(): Promise<CachedRepository> {
  return { id: 1, remote: await servers.remote(origin), ref: 'refs/heads/main' };
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
