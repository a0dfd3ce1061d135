import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { GitRemote } from '../forge';
import { GitServers, makeOrigin, type Origin, removeTempFolders, tempFolder } from './git.harness';
import { type CachedRepository, GitCache } from './git-cache';

const ZEROS = '0'.repeat(40);
const FOLDERS = ['.gitea/workflows', '.forgejo/workflows', '.github/workflows'];

let origin: Origin;
let cache: GitCache;
const servers = new GitServers();

beforeEach(() => {
  origin = makeOrigin();
  cache = new GitCache(tempFolder());
});
afterAll(removeTempFolders);
afterEach(() => servers.stop());

const REMOTES: readonly (readonly [string, () => Promise<GitRemote>])[] = [
  ['a folder', async () => ({ kind: 'path', path: origin.bare })],
  ['a server', async () => servers.remote(origin)],
  ['an old server', async () => servers.remote(origin, { isOld: true })],
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

async function repository(remoteOf: () => Promise<GitRemote>): Promise<CachedRepository> {
  return { id: 1, remote: await remoteOf(), ref: 'refs/heads/main' };
}
