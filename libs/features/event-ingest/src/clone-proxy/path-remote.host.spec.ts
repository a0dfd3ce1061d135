import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AS_CHECKOUT, FETCH_HEADERS, fetchBody, pktLine, send, sendThenRead, startFetch, startProxy, type TestProxy } from './clone-proxy.harness';
import { makeBlobRepository, mustGit, scratchFolder } from './git.harness';
import { MAX_UPLOAD_PACKS } from './upload-pack';

const INFO_REFS = '/team/app/info/refs?service=git-upload-pack';
const UPLOAD_PACK = '/team/app/git-upload-pack';
const LIST = Buffer.from(`${pktLine('command=ls-refs')}00010000`);
const MIB = 1024 * 1024;

jest.setTimeout(60_000);

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let repository: string;
let fetchAll: Buffer;
let proxy: TestProxy;
/** Processes that a run of this suite alone has beside it, such as its database server. */
let others: readonly number[];

beforeAll(async () => {
  folder = await scratchFolder();
  repository = join(folder.path, 'app.git');
  // More than the sockets between the proxy and its client hold, so that git waits in the midst of its pack.
  await makeBlobRepository(repository, randomBytes(24 * MIB));
  fetchAll = fetchBody(`want ${await mustGit(['rev-parse', 'main'], repository)}`, 'done');
  proxy = await startProxy();
  others = await childrenOfThisProcess();
});

beforeEach(() => {
  proxy.setRemote({ kind: 'path', path: repository });
});

afterAll(async () => {
  await proxy.stop();
  await folder.remove();
});

describe('the advertisement of a folder', () => {
  it.each([
    ['version=2', '000eversion 2\n'],
    ['version=1', '001e# service=git-upload-pack\n0000000eversion 1\n'],
    ['version=0', '001e# service=git-upload-pack\n0000'],
    ['version=2;x', '001e# service=git-upload-pack\n0000'],
  ])('for %s begins with %j', async (protocol, beginning) => {
    const reply = await send(proxy, 'GET', INFO_REFS, { 'git-protocol': protocol });

    expect(reply.body.toString().startsWith(beginning)).toBe(true);
  });

  it('is 404 when the folder is gone', async () => {
    proxy.setRemote({ kind: 'path', path: join(folder.path, 'gone.git') });

    const reply = await send(proxy, 'GET', INFO_REFS);

    expect(reply).toMatchObject({ status: 404, body: Buffer.from("The repository's folder is no longer where its connection says.\n") });
  });

  it('is 502 when the folder is no repository, and the log says why', async () => {
    const path = join(folder.path, 'empty');
    await mkdir(path);
    proxy.setRemote({ kind: 'path', path });

    const reply = await send(proxy, 'GET', INFO_REFS);

    expect(reply).toMatchObject({ status: 502, body: Buffer.from('Git could not answer this on the server; the log has the cause.\n') });
    expect(proxy.logged()).toContain('does not appear to be a git repository');
  });

  it('also comes from a repository with a working tree', async () => {
    const path = join(folder.path, 'worktree');
    await mustGit(['clone', '--quiet', '--no-checkout', repository, path]);
    proxy.setRemote({ kind: 'path', path });

    expect(await mustGit([...AS_CHECKOUT, 'ls-remote', `${proxy.url}/team/app`])).toContain('refs/heads/main');
  });
});

describe('the git of a folder', () => {
  const { PATH } = process.env;

  afterEach(() => {
    process.env.PATH = PATH;
    delete process.env.SECRET_KEY;
  });

  it('serves repositories of other users, and knows none of our secrets', async () => {
    const seen = join(folder.path, 'environment');
    await replaceGit(`env > ${seen}; GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "$real" "$@"`);
    process.env.SECRET_KEY = 'key-of-the-installation';

    const reply = await send(proxy, 'GET', INFO_REFS, { 'git-protocol': 'version=2' });

    expect(reply.status).toBe(200);
    expect(await readFile(seen, 'utf8')).toContain('GIT_PROTOCOL=version=2');
    expect(await readFile(seen, 'utf8')).not.toContain('key-of-the-installation');
  });

  it('that is not installed is a 502', async () => {
    process.env.PATH = folder.path;

    expect(await send(proxy, 'GET', INFO_REFS)).toMatchObject({ status: 502 });
    expect(proxy.logged()).toContain('ENOENT');
  });

  it('that hangs ends with its client', async () => {
    await replaceGit('exec sleep 30');
    const { request } = startFetch(proxy);
    const [pid = 0] = await children(1);

    request.destroy();

    expect(await children(0)).toEqual([]);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('that hangs does not keep back what is wrong with the request', async () => {
    await replaceGit('exec sleep 30');

    const reply = await send(proxy, 'POST', UPLOAD_PACK, { ...FETCH_HEADERS, 'content-encoding': 'gzip' }, Buffer.from('not zipped'));

    expect(reply.status).toBe(400);
  });

  it('that speaks only when its client has gone gives its place back', async () => {
    await replaceGit('trap "head -c 1000000 /dev/zero; exit" TERM; for i in $(seq 200); do sleep 0.1; done');
    const fetches = Array.from({ length: MAX_UPLOAD_PACKS }, () => startFetch(proxy));
    await children(MAX_UPLOAD_PACKS);
    process.env.PATH = PATH;

    for (const { request } of fetches) request.destroy();
    expect(await children(0)).toEqual([]);

    expect((await send(proxy, 'GET', INFO_REFS)).status).toBe(200);
  });

  /** Puts a shell script in git's place. */
  async function replaceGit(script: string): Promise<void> {
    const bin = join(folder.path, 'bin');
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, 'git'), `#!/bin/sh\nPATH="${PATH}"\nreal=$(command -v git)\n${script}\n`, { mode: 0o755 });
    process.env.PATH = `${bin}:${PATH}`;
  }
});

describe('the body of a fetch from a folder', () => {
  it.each([
    ['gzip', gzipSync(LIST)],
    ['x-gzip', gzipSync(LIST)],
    ['identity', LIST],
  ])('is read when it is %s', async (encoding, body) => {
    const reply = await send(proxy, 'POST', UPLOAD_PACK, { ...FETCH_HEADERS, 'content-encoding': encoding }, body);

    expect(reply.status).toBe(200);
    expect(reply.body.toString()).toContain('refs/heads/main');
  });

  it.each([
    ['br', Buffer.from('x'), 'A body with the Content-Encoding br cannot be read; git sends gzip.'],
    ['gzip', Buffer.from('not zipped'), 'The body is not the gzip stream it is said to be.'],
    ['gzip', gzipSync(fetchBody('done')).subarray(0, 30), 'The body is not the gzip stream it is said to be.'],
  ])('is refused when it is no %s that can be read', async (encoding, body, text) => {
    const reply = await send(proxy, 'POST', UPLOAD_PACK, { ...FETCH_HEADERS, 'content-encoding': encoding }, body);

    expect(reply).toMatchObject({ status: 400, body: Buffer.from(`${text}\n`) });
  });

  it('is refused to a client that sends all of it first', async () => {
    const headers = { ...FETCH_HEADERS, 'content-encoding': 'gzip' };

    expect(await sendThenRead(proxy, UPLOAD_PACK, headers, Buffer.alloc(40_000_000))).toBe('HTTP/1.1 400 Bad Request');
  });

  it.each([
    ['zipped', (body: Buffer) => gzipSync(body, { level: 1 }), { 'content-encoding': 'gzip' }],
    ['plain', (body: Buffer) => body, {}],
  ])('is refused beyond 64 MiB, %s', async (_how, encode, headers) => {
    const line = pktLine(`server-option=${'x'.repeat(60_000)}`);
    const body = Buffer.from(`${pktLine('command=ls-refs')}${line.repeat((64 * MIB) / line.length + 1)}00010000`);

    const reply = await send(proxy, 'POST', UPLOAD_PACK, { ...FETCH_HEADERS, ...headers }, encode(body));

    expect(reply).toMatchObject({ status: 413, body: Buffer.from('The request of a fetch may have 64 MiB.\n') });
    expect(await children(0)).toEqual([]);
  });
});

describe('the process of a fetch', () => {
  it('ends when its client goes in the midst of the pack', async () => {
    const { request, answered } = startFetch(proxy, fetchAll);
    const response = await answered;
    await once(response, 'readable');
    expect(await children(1)).toHaveLength(1);

    request.destroy();

    expect(await children(0)).toEqual([]);
  });

  it('ends when its client goes before it has asked for anything', async () => {
    const { request } = startFetch(proxy);
    expect(await children(1)).toHaveLength(1);

    request.destroy();

    expect(await children(0)).toEqual([]);
  });

  it('breaks the answer off when it is killed, and does not end it', async () => {
    const { answered } = startFetch(proxy, fetchAll);
    const response = await answered;
    await once(response, 'readable');
    const [pid = 0] = await children(1);

    process.kill(pid, 'SIGKILL');
    response.resume();

    await expect(once(response, 'end')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(proxy.logged()).toContain('SIGKILL');
  });

  it(`is one of ${MAX_UPLOAD_PACKS} at most; the next is refused for the moment`, async () => {
    const fetches = Array.from({ length: MAX_UPLOAD_PACKS }, () => startFetch(proxy));
    expect(await children(MAX_UPLOAD_PACKS)).toHaveLength(MAX_UPLOAD_PACKS);

    const refused = await send(proxy, 'GET', INFO_REFS);
    for (const { request } of fetches) request.destroy();
    await children(0);
    const served = await send(proxy, 'GET', INFO_REFS);

    expect(refused).toMatchObject({ status: 503, headers: { 'content-type': 'text/plain; charset=utf-8' } });
    expect(served.status).toBe(200);
  });
});

/** The processes that requests have started and that still run, once there are `count` of them; what there is after ten seconds otherwise. */
async function children(count: number): Promise<number[]> {
  for (let attempt = 0; ; attempt += 1) {
    const started = (await childrenOfThisProcess()).filter((pid) => !others.includes(pid));
    if (started.length === count || attempt === 200) return started;
    await pause(50);
  }
}

async function childrenOfThisProcess(): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    const status = await readFile(`/proc/${entry}/status`, 'utf8').catch(() => '');
    if (status.includes(`\nPPid:\t${process.pid}\n`) && !/^State:\tZ/m.test(status)) found.push(Number(entry));
  }
  return found;
}
