import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AS_CHECKOUT, ENDED_TOKEN, OTHER_TOKEN, send, startProxy, type TestProxy, TOKEN } from './clone-proxy.harness';
import type { CloneTarget } from './clone-target';
import { type Forge, startForge } from './forge.harness';
import { git, makeBlobRepository, makeSampleRepository, mustGit, SAMPLE_FILES, type SampleRepository, scratchFolder } from './git.harness';

const CREDENTIAL = `Basic ${Buffer.from('bot:connection-secret').toString('base64')}`;
const BLOB = randomBytes(50 * 1024 * 1024);

jest.setTimeout(60_000);

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let sample: SampleRepository;
let forge: Forge;
let proxy: TestProxy;
let clones = 0;

beforeAll(async () => {
  folder = await scratchFolder();
  sample = await makeSampleRepository(join(folder.path, 'sample.git'));
  await makeBlobRepository(join(folder.path, 'big.git'), BLOB);
  forge = await startForge(folder.path, CREDENTIAL);
  proxy = await startProxy();
});

afterAll(async () => {
  await proxy.stop();
  await forge.stop();
  await folder.remove();
});

describe.each<[string, (repository: string) => CloneTarget['remote']]>([
  ['a forge behind http', (repository) => ({ kind: 'http', url: `${forge.url}/${repository}`, authorization: CREDENTIAL })],
  ['a folder', (repository) => ({ kind: 'path', path: join(folder.path, repository) })],
])('from %s git', (_kind, remoteOf) => {
  beforeEach(() => {
    proxy.setRemote(remoteOf('sample.git'));
    proxy.seen.length = 0;
  });

  it('checks out one commit by its id, as checkout does', async () => {
    const target = newFolder();
    await mustGit(['init', '--quiet', target]);
    await mustGit(['remote', 'add', 'origin', `${proxy.url}/team/app`], target);

    await mustGit([...AS_CHECKOUT, 'fetch', '--no-tags', '--prune', '--depth=1', 'origin', `+${sample.head}:refs/remotes/origin/main`], target);
    await mustGit(['checkout', '--force', '-B', 'main', 'refs/remotes/origin/main'], target);

    expect(await mustGit(['rev-list', 'HEAD'], target)).toBe(sample.head);
    expect(await readFile(join(target, 'README'), 'utf8')).toBe('hello\n');
    expect(proxy.seen.map(({ method, headers }) => [method, headers['git-protocol']])).toEqual([
      ['GET', 'version=2'],
      ['POST', 'version=2'],
    ]);
  });

  it.each(['team/app', 'team/app.git', 'TEAM/App'])('finds it under %s', async (name) => {
    expect(await mustGit([...AS_CHECKOUT, 'ls-remote', `${proxy.url}/${name}`, 'HEAD'])).toBe(`${sample.head}\tHEAD`);
  });

  it('clones with the token in the URL, of which it first sends nothing', async () => {
    const target = newFolder();

    await mustGit(['clone', '--quiet', '--bare', withCredentials(`x-access-token:${TOKEN}`), target]);

    expect(await mustGit(['rev-parse', 'HEAD'], target)).toBe(sample.head);
    expect(proxy.seen[0]?.headers.authorization).toBeUndefined();
  });

  it.each(['0', '1', '2'])('clones by version %s of the protocol', async (version) => {
    const target = newFolder();

    await mustGit([...AS_CHECKOUT, '-c', `protocol.version=${version}`, 'clone', '--quiet', '--bare', `${proxy.url}/team/app`, target]);

    expect(await mustGit(['rev-parse', 'HEAD'], target)).toBe(sample.head);
    expect(await mustGit(['cat-file', '-t', 'v1'], target)).toBe('tag');
    expect(await mustGit(['rev-parse', 'v1^{commit}'], target)).toBe(sample.tagged);
  });

  it.each(['0', '2'])('fetches a commit that no ref reaches, by version %s', async (version) => {
    const target = newFolder();
    await mustGit(['init', '--quiet', target]);

    await mustGit([...AS_CHECKOUT, '-c', `protocol.version=${version}`, 'fetch', '--depth=1', `${proxy.url}/team/app`, sample.lost], target);

    expect(await mustGit(['rev-parse', 'FETCH_HEAD'], target)).toBe(sample.lost);
  });

  it('hears in its own words that a commit is not there', async () => {
    const target = newFolder();
    await mustGit(['init', '--quiet', target]);

    const { code, stderr } = await git([...AS_CHECKOUT, 'fetch', '--depth=1', `${proxy.url}/team/app`, 'f'.repeat(40)], target);

    expect(code).toBe(128);
    expect(stderr).toBe(`fatal: remote error: upload-pack: not our ref ${'f'.repeat(40)}\n`);
  });

  it('fetches what is new to it', async () => {
    const target = newFolder();
    await mustGit([...AS_CHECKOUT, 'clone', '--quiet', '--no-checkout', '--single-branch', '--branch', 'v1', `${proxy.url}/team/app`, target]);

    await mustGit([...AS_CHECKOUT, 'fetch', 'origin', 'main'], target);

    expect(await mustGit(['rev-list', 'FETCH_HEAD'], target)).toBe(`${sample.head}\n${sample.tagged}`);
  });

  it('gets the blobs of a partial clone in one zipped request', async () => {
    const target = await partialClone();

    await mustGit([...AS_CHECKOUT, 'checkout', '--quiet', 'main'], target);

    expect((await mustGit(['ls-files'], target)).split('\n')).toHaveLength(SAMPLE_FILES + 1);
    expect(proxy.seen.at(-1)?.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': expect.any(String) });
  });

  it('gets them in one chunked request behind a probe, once they exceed its buffer', async () => {
    const target = await partialClone();

    await mustGit([...AS_CHECKOUT, '-c', 'http.postBuffer=66000', 'checkout', '--quiet', 'main'], target);

    expect((await mustGit(['ls-files'], target)).split('\n')).toHaveLength(SAMPLE_FILES + 1);
    expect(proxy.seen.at(-2)?.headers).toMatchObject({ 'content-length': '4' });
    expect(proxy.seen.at(-1)?.headers).toMatchObject({ 'transfer-encoding': 'chunked' });
  });

  it('clones 50 MiB byte for byte', async () => {
    proxy.setRemote(remoteOf('big.git'));
    const target = newFolder();

    await mustGit([...AS_CHECKOUT, 'clone', '--quiet', `${proxy.url}/team/app`, target]);

    expect(BLOB.equals(await readFile(join(target, 'blob')))).toBe(true);
  });

  it('is answered 200 and nothing when it probes', async () => {
    const reply = await send(proxy, 'POST', '/team/app/git-upload-pack', { 'content-type': 'application/x-git-upload-pack-request' }, Buffer.from('0000'));

    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/x-git-upload-pack-result' }, body: Buffer.alloc(0) });
  });

  it('may not have its answers cached, nor changed on their way', async () => {
    const { headers } = await send(proxy, 'GET', '/team/app/info/refs?service=git-upload-pack', { 'git-protocol': 'version=2' });

    expect(headers).toMatchObject({ 'content-type': 'application/x-git-upload-pack-advertisement', 'cache-control': 'no-cache, no-transform' });
    expect(headers['set-cookie']).toBeUndefined();
  });
});

describe('git, refused,', () => {
  beforeEach(() => {
    proxy.setRemote({ kind: 'path', path: sample.path });
  });

  it('shows that its token is unknown', async () => {
    const { code, stderr } = await git(['ls-remote', withCredentials('x-access-token:wrong')]);

    expect(code).toBe(128);
    expect(stderr).toContain('remote: This token is not known here.\nfatal: Authentication failed');
  });

  it('shows that its job has ended, as no 401 could', async () => {
    const { code, stderr } = await git(['ls-remote', withCredentials(`x-access-token:${ENDED_TOKEN}`)]);

    expect(code).toBe(128);
    expect(stderr).toContain('remote: The token died with its job: build ended at 2026-01-02T03:04:05.000Z.\n');
  });

  it.each([
    ["another job's repository", 'team/app', OTHER_TOKEN],
    ['a repository that is not there', 'team/nothing', TOKEN],
  ])('shows the same for %s', async (_which, name, token) => {
    const { code, stderr } = await git(['ls-remote', `${proxy.url.replace('//', `//x:${token}@`)}/${name}`]);

    expect(code).toBe(128);
    expect(stderr).toContain("remote: There is no such repository here that this job may read. A job's token reads the job's own repository alone.\n");
  });

  it('shows that it cannot push, before it sends anything', async () => {
    const target = newFolder();
    await mustGit([...AS_CHECKOUT, 'clone', '--quiet', '--no-checkout', '--depth=1', `${proxy.url}/team/app`, target]);

    const { code, stderr } = await git([...AS_CHECKOUT, 'push', 'origin', 'HEAD:refs/heads/new'], target);

    expect(code).toBe(128);
    expect(stderr).toContain('remote: Repositories are read-only here; push comes in a later version. Push to the forge itself.\n');
  });
});

function newFolder(): string {
  clones += 1;
  return join(folder.path, `clone-${clones}`);
}

function withCredentials(userinfo: string): string {
  return `${proxy.url.replace('//', `//${userinfo}@`)}/team/app`;
}

async function partialClone(): Promise<string> {
  const target = newFolder();
  await mustGit([...AS_CHECKOUT, 'clone', '--quiet', '--no-checkout', '--filter=blob:none', `${proxy.url}/team/app`, target]);
  return target;
}
