import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AS_CHECKOUT, counted, ENDED_TOKEN, OTHER_TOKEN, send, startProxy, type TestProxy, TOKEN } from './clone-proxy.harness';
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

describe('the clone proxy', () => {
  beforeEach(() => {
    proxy.setRemote({ kind: 'path', path: sample.path });
  });

  it.each(['team/app', 'team/nothing'])('challenges whoever comes to %s without a credential', async (name) => {
    const reply = await send(proxy, 'GET', `/${name}/info/refs?service=git-upload-pack`, { authorization: '' });

    expect(reply).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Basic realm="Triphammer"', 'content-type': 'text/plain; charset=utf-8' } });
  });

  it.each([
    [403, 'POST', '/team/app/git-receive-pack'],
    [403, 'GET', '/team/app/info/refs?service=git-receive-pack'],
    [404, 'GET', '/team/app/info/refs?service=git-upload-archive'],
    [404, 'GET', '/team/app/info/refs?service=git-upload-pack&service=git-receive-pack'],
    [404, 'GET', '/team/app/info/refs'],
    [404, 'POST', '/team/app.git/git-upload-archive'],
    [404, 'GET', '/team/app/HEAD'],
    [404, 'GET', '/team/app.git/objects/info/packs'],
    [405, 'HEAD', '/team/app/info/refs?service=git-upload-pack'],
    [405, 'POST', '/team/app/info/refs?service=git-upload-pack'],
    [405, 'GET', '/team/app.git/git-upload-pack'],
    [400, 'POST', '/team/app.git/git-upload-pack'],
    [404, 'GET', '/../app/info/refs?service=git-upload-pack'],
    [404, 'GET', '/team/%2e%2e/info/refs?service=git-upload-pack'],
    [404, 'GET', '/team/x%2fapp/info/refs?service=git-upload-pack'],
    [404, 'GET', '/team/.git/info/refs?service=git-upload-pack'],
    [404, 'GET', `/team/${'a'.repeat(101)}/info/refs?service=git-upload-pack`],
    [404, 'GET', '/api/app/info/refs?service=git-upload-pack'],
    [404, 'GET', '/v2/app/info/refs?service=git-upload-pack'],
    [404, 'GET', '/-/app/info/refs?service=git-upload-pack'],
  ])('answers %d in plain text to %s %s', async (status, method, path) => {
    const reply = await send(proxy, method, path, { 'content-type': 'text/x-anything' });

    expect(reply).toMatchObject({ status, headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache, no-transform' } });
    expect(reply.body.toString()).toMatch(method === 'HEAD' ? /^$/ : /^[^<{]+\n$/);
  });

  it.each(['objects/batch', 'locks/verify', 'objects/0123'])('refuses LFS at %s in its own media type', async (path) => {
    const body = Buffer.from('{"operation":"download"}');
    const reply = await send(proxy, 'POST', `/team/app.git/info/lfs/${path}`, { 'content-type': 'application/vnd.git-lfs+json' }, body);

    expect(reply).toMatchObject({ status: 501, headers: { 'content-type': 'application/vnd.git-lfs+json; charset=utf-8' } });
    expect(JSON.parse(reply.body.toString())).toEqual({ message: 'Git LFS objects are not served in this version; fetch them from the forge itself.' });
  });

  it('answers in plain text even what it cannot make sense of', async () => {
    const reply = await send(proxy, 'POST', '/team/app/git-upload-pack', { 'content-type': '/' }, Buffer.from('0000'));

    expect(reply).toMatchObject({ status: 415, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  });

  it('answers a refused body to its end on the same connection', async () => {
    const headers = { authorization: 'Bearer wrong', 'content-type': 'application/x-git-upload-pack-request' };

    const reply = await send(proxy, 'POST', '/team/app/git-upload-pack', headers, Buffer.alloc(5_000_000));

    expect(reply).toMatchObject({ status: 401, body: Buffer.from('This token is not known here.\n') });
  });

  it('leaves other paths to others', async () => {
    expect(await send(proxy, 'GET', '/api/v1/version')).toMatchObject({ status: 200, body: Buffer.from('{"version":"1"}') });
    expect(await send(proxy, 'GET', '/team/app')).toMatchObject({ status: 404, headers: { 'content-type': 'application/json; charset=utf-8' } });
  });

  it('counts how requests end', async () => {
    const before = { served: await counted('served'), forbidden: await counted('forbidden') };

    await send(proxy, 'GET', '/team/app/info/refs?service=git-upload-pack');
    await send(proxy, 'GET', '/team/app/info/refs?service=git-receive-pack');
    await send(proxy, 'POST', '/team/app/git-receive-pack');

    expect(await counted('served')).toBe(before.served + 1);
    expect(await counted('forbidden')).toBe(before.forbidden + 2);
  });

  it('writes no credential into any log', async () => {
    proxy.setRemote({ kind: 'http', url: 'http://127.0.0.1:9/app', authorization: CREDENTIAL });
    await send(proxy, 'GET', '/team/app/info/refs?service=git-upload-pack', { authorization: `Bearer ${ENDED_TOKEN}` });
    await git([...AS_CHECKOUT, 'ls-remote', `${proxy.url}/team/app`]);

    const logged = proxy.logged();

    expect(logged).toContain('/team/app/info/refs');
    for (const secret of [TOKEN, ENDED_TOKEN, 'connection-secret', CREDENTIAL, Buffer.from(`x-access-token:${TOKEN}`).toString('base64')]) {
      expect(logged).not.toContain(secret);
    }
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
