import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AS_CHECKOUT, FETCH_HEADERS, fetchBody, send, sendThenRead, startFetch, startProxy, type TestProxy, TOKEN } from './clone-proxy.harness';
import { type HttpServer, startForge, startHttpServer } from './forge.harness';
import { makeSampleRepository, mustGit, type SampleRepository, scratchFolder } from './git.harness';

const CREDENTIAL = `Basic ${Buffer.from('bot:connection-secret').toString('base64')}`;
const INFO_REFS = '/team/app/info/refs?service=git-upload-pack';
const UPLOAD_PACK = '/team/app/git-upload-pack';
const RESULT = { 'content-type': 'application/x-git-upload-pack-result' };

jest.setTimeout(60_000);

let proxy: TestProxy;
let forge: HttpServer | undefined;

beforeAll(async () => {
  proxy = await startProxy();
});

afterEach(async () => {
  await forge?.stop();
  forge = undefined;
});

afterAll(async () => {
  await proxy.stop();
});

describe('a request to the forge', () => {
  it.each([
    ['a zipped body', { 'content-encoding': 'gzip' }, [gzipSync(fetchBody(`want ${'1'.repeat(40)}`))]],
    ['3 MiB of body in chunks', { 'transfer-encoding': 'chunked' }, Array.from({ length: 48 }, () => Buffer.alloc(65_536, 'x'))],
  ])('holds %s as it was sent', async (_which, encoding, body) => {
    const seen: { request: IncomingMessage; body: Buffer }[] = [];
    await forgeThat(async (request, response) => {
      seen.push({ request, body: await bytesOf(request) });
      response.writeHead(200, RESULT).end('done');
    });
    const bytes = Buffer.concat(body);
    const length: Record<string, string> = 'transfer-encoding' in encoding ? {} : { 'content-length': String(bytes.length) };

    const reply = await send(proxy, 'POST', UPLOAD_PACK, { ...FETCH_HEADERS, ...encoding, ...length, accept: 'application/x-a' }, body);

    expect(reply).toMatchObject({ status: 200, body: Buffer.from('done') });
    expect(seen[0]?.request).toMatchObject({ method: 'POST', url: '/sub/team/app.git/git-upload-pack' });
    expect(seen[0]?.request.headers).toMatchObject({ ...FETCH_HEADERS, ...encoding, ...length, accept: 'application/x-a' });
    expect(seen[0]?.body.equals(bytes)).toBe(true);
  });

  it("carries the connection's credential and nothing that is between the client and us", async () => {
    const seen: IncomingMessage[] = [];
    await forgeThat((request, response) => {
      seen.push(request);
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' }).end('refs');
    });

    await send(proxy, 'GET', INFO_REFS, {
      cookie: 'a=b',
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-host': 'ci',
      forwarded: 'for=10.0.0.1',
      'x-real-ip': '10.0.0.1',
    });

    expect(seen[0]?.url).toBe('/sub/team/app.git/info/refs?service=git-upload-pack');
    expect(seen[0]?.headers).toEqual({ host: new URL(forge?.url ?? '').host, connection: 'keep-alive', authorization: CREDENTIAL });
  });
});

describe("the forge's answer", () => {
  it.each([
    [502, 401, 'The forge refuses the credential of its connection (HTTP 401). An administrator must renew it.'],
    [502, 403, 'The forge refuses the credential of its connection (HTTP 403). An administrator must renew it.'],
    [404, 404, "The forge has no such repository any more, or the connection's user may not read it."],
    [404, 410, "The forge has no such repository any more, or the connection's user may not read it."],
    [503, 429, 'The forge is too busy to answer (HTTP 429). Try again later.'],
    [503, 503, 'The forge is too busy to answer (HTTP 503). Try again later.'],
    [502, 500, 'The forge answered with HTTP 500.'],
    [502, 204, 'The forge answered with HTTP 204.'],
    [502, 200, "The forge answered with something that is not git data, such as a sign-in page. Check the connection's URL."],
  ])('becomes %d in plain text when it is a page with %d', async (status, upstream, text) => {
    await forgeThat((request, response) => {
      const headers = { 'content-type': 'text/html', 'www-authenticate': 'Basic realm="forge"', 'set-cookie': 'session=1' };
      response.writeHead(upstream, headers).end(`<html>${request.headers.authorization}</html>`);
    });

    const reply = await send(proxy, 'GET', INFO_REFS);

    expect(reply).toMatchObject({ status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: Buffer.from(`${text}\n`) });
    expect(Object.keys(reply.headers)).not.toEqual(expect.arrayContaining([expect.stringMatching(/www-authenticate|set-cookie/)]));
  });

  it('keeps neither cookies nor headers of its own', async () => {
    await forgeThat((_request, response) => {
      response.writeHead(200, { ...RESULT, 'set-cookie': 'session=1', 'x-echo': CREDENTIAL, 'cache-control': 'public', location: '/x' }).end('pack');
    });

    const reply = await send(proxy, 'POST', UPLOAD_PACK, FETCH_HEADERS, fetchBody());

    expect(Object.keys(reply.headers).sort()).toEqual(['cache-control', 'connection', 'content-type', 'date', 'transfer-encoding']);
    expect(reply.headers['cache-control']).toBe('no-cache, no-transform');
  });

  it.each([
    ['GET', INFO_REFS, undefined],
    ['POST', UPLOAD_PACK, Buffer.alloc(5_000_000)],
  ])('is 502 when it never comes, to %s %s', async (method, path, body) => {
    await forgeThat(() => undefined);
    await forge?.stop();

    const reply = await send(proxy, method, path, FETCH_HEADERS, body);

    expect(reply).toMatchObject({ status: 502, body: Buffer.from('The forge cannot be reached or broke the connection.\n') });
    expect(proxy.logged()).toContain('ECONNREFUSED');
    expect(proxy.logged()).not.toContain(CREDENTIAL);
    expect(proxy.logged()).not.toContain(TOKEN);
  });

  it('that came before the request was read reaches even a client that sends all of it first', async () => {
    await forgeThat((_request, response) => response.writeHead(401, { connection: 'close' }).end());

    expect(await sendThenRead(proxy, UPLOAD_PACK, FETCH_HEADERS, Buffer.alloc(40_000_000))).toBe('HTTP/1.1 502 Bad Gateway');
  });

  it('is passed on bit by bit, while the next is not yet made', async () => {
    let next: () => void = () => undefined;
    await forgeThat((_request, response) => {
      response.writeHead(200, RESULT).write('first');
      next = () => response.end('second');
    });
    const response = await startFetch(proxy, fetchBody()).answered;

    const [first] = await once(response, 'data');
    next();
    const [second] = await once(response, 'data');

    expect([String(first), String(second)]).toEqual(['first', 'second']);
  });

  it('breaks off when the forge does, and does not end', async () => {
    await forgeThat((_request, response) => {
      response.writeHead(200, RESULT).write('half a pack', () => response.destroy());
    });

    await expect(send(proxy, 'POST', UPLOAD_PACK, FETCH_HEADERS, fetchBody())).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('waits at the forge while the client does not read', async () => {
    let sent = 0;
    const chunk = Buffer.alloc(1024 * 1024);
    await forgeThat((_request, response) => {
      response.writeHead(200, RESULT);
      const more = () => {
        sent += chunk.length;
        response.write(chunk, more);
      };
      more();
    });

    const { answered, request } = startFetch(proxy, fetchBody());
    (await answered).pause();
    const held = await unchanging(() => sent);
    request.destroy();

    // What the sockets of both connections hold, by the kernel's limits.
    expect(held).toBeLessThan(40 * chunk.length);
  });
});

describe('a client that goes away', () => {
  it('ends the request at the forge that is not answered yet', async () => {
    const reached = gate<ServerResponse>();
    await forgeThat((_request, response) => reached.open(response));

    const { request } = startFetch(proxy, fetchBody());
    const response = await reached.opened;
    request.destroy();

    await once(response, 'close');
    expect(response.writableFinished).toBe(false);
  });

  it('ends the answer of the forge that is under way', async () => {
    const reached = gate<ServerResponse>();
    await forgeThat((_request, response) => {
      response.writeHead(200, RESULT).write('first');
      reached.open(response);
    });

    const { answered, request } = startFetch(proxy, fetchBody());
    const response = await reached.opened;
    await answered;
    request.destroy();

    await once(response, 'close');
    expect(response.writableFinished).toBe(false);
  });

  it('ends the request of which it has sent only half', async () => {
    const reached = gate<IncomingMessage>();
    await forgeThat((request) => reached.open(request.on('error', () => undefined).resume()));

    const { request } = startFetch(proxy);
    const atForge = await reached.opened;
    request.destroy();

    await new Promise((resolve) => atForge.once('close', resolve));
    expect(atForge.complete).toBe(false);
  });
});

describe('a repository that the forge has renamed', () => {
  let folder: Awaited<ReturnType<typeof scratchFolder>>;
  let sample: SampleRepository;
  let renamed: HttpServer;
  let elsewhere: HttpServer;
  const strangers: string[] = [];

  beforeAll(async () => {
    folder = await scratchFolder();
    sample = await makeSampleRepository(join(folder.path, 'renamed.git'));
    renamed = await startForge(folder.path, CREDENTIAL);
    elsewhere = await startHttpServer((request, response) => {
      strangers.push(request.url ?? '');
      response.end();
    });
  });

  beforeEach(async () => {
    await forgeThat((request, response) => {
      request.resume();
      response.writeHead(301, { location: `${elsewhere.url}/team/renamed/info/refs` }).end();
    });
  });

  afterAll(async () => {
    await renamed.stop();
    await elsewhere.stop();
    await folder.remove();
  });

  it('is asked for by its number, and then cloned under its new name', async () => {
    proxy.setRenamed({ kind: 'http', url: `${renamed.url}/renamed.git`, authorization: CREDENTIAL });
    const before = proxy.refreshes();

    await mustGit([...AS_CHECKOUT, 'clone', '--quiet', '--bare', `${proxy.url}/team/app`, join(folder.path, 'clone')]);

    expect(await mustGit(['rev-parse', 'HEAD'], join(folder.path, 'clone'))).toBe(sample.head);
    expect(proxy.refreshes()).toBe(before + 1);
  });

  it.each([
    [
      'sends on from its newest address too',
      502,
      "The forge sends us on from the repository's address, and from its newest one too. Check the connection's URL.",
    ],
    ['has it no more', 404, 'The forge no longer has this repository.'],
  ])('is refused when the forge %s', async (which, status, text) => {
    proxy.setRenamed(which === 'has it no more' ? undefined : { kind: 'http', url: `${forge?.url}/again`, authorization: CREDENTIAL });

    expect(await send(proxy, 'GET', INFO_REFS)).toMatchObject({ status, body: Buffer.from(`${text}\n`) });
  });

  it('is refused in the midst of a fetch, whose body is spent, and found by the next', async () => {
    proxy.setRenamed({ kind: 'http', url: `${renamed.url}/renamed.git`, authorization: CREDENTIAL });
    const before = proxy.refreshes();

    const reply = await send(proxy, 'POST', UPLOAD_PACK, FETCH_HEADERS, fetchBody());

    expect(reply).toMatchObject({ status: 502, body: Buffer.from('The repository was renamed at its forge in the midst of this fetch. Fetch again.\n') });
    expect(proxy.refreshes()).toBe(before + 1);
  });

  it('is never asked for where the redirect points', () => {
    expect(strangers).toEqual([]);
  });
});

/** Makes `team/app` a repository of this forge. */
async function forgeThat(listener: RequestListener): Promise<void> {
  await forge?.stop();
  forge = await startHttpServer(listener);
  proxy.setRemote({ kind: 'http', url: `${forge.url}/sub/team/app.git/`, authorization: CREDENTIAL });
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The figure once it has stood still for half a second. */
async function unchanging(read: () => number): Promise<number> {
  for (let last = -1; ; await pause(500)) {
    if (read() === last) return last;
    last = read();
  }
}

function gate<Value>(): { readonly opened: Promise<Value>; open(value: Value): void } {
  let open: (value: Value) => void = () => undefined;
  const opened = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
