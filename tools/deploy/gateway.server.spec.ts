import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type GatewayTest, startGateway } from './gateway.harness';

const RPC = '/api/actions/runner.v1.RunnerService';

describe('the gateway', () => {
  let gateway: GatewayTest;

  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.stop());
  afterEach(() => gateway.answerAsUsual());

  it.each([
    [`${RPC}/UpdateLog`, 'log_archiver'],
    [`${RPC}/FetchTask`, 'task_dispatcher'],
    ['/api/actions/ping.v1.PingService/Ping', 'task_dispatcher'],
    ['/webhooks/1', 'event_ingest'],
    ['/team/app/info/refs?service=git-upload-pack', 'event_ingest'],
    ['/team/app.git/git-upload-pack', 'event_ingest'],
    ['/team/app.git/git-receive-pack', 'event_ingest'],
    ['/team/app.git/info/lfs/objects/batch', 'event_ingest'],
    ['/team/app/HEAD', 'event_ingest'],
    ['/api/v1/repos/team/app/actions/runs', 'task_dispatcher'],
    ['/api/v1/repos/team/app/actions/jobs/7/logs', 'log_archiver'],
    ['/api/v1/repos/team/app/actions/jobs/7/logs/stream', 'log_archiver'],
    ['/', 'console'],
    ['/team/app', 'console'],
    ['/team/app/info', 'console'],
  ])('sends %s to %s', async (path, service) => {
    const response = await fetch(gateway.url + path, { method: 'POST', body: 'x' });

    expect(await response.text()).toMatch(new RegExp(`^${service}`));
  });

  it.each([
    ['/api/packages/team/npm/x', 404, 'text/plain', 'This is not part of this version.\n'],
    ['/v2/', 404, 'text/plain', 'This is not part of this version.\n'],
    ['/twirp/github.actions.results.api.v1.ArtifactService/CreateArtifact', 404, 'text/plain', 'This is not part of this version.\n'],
    ['/api/v1/nothing', 404, 'application/json', '{"message":"There is no such path in this version of the API."}\n'],
    ['/metrics', 404, 'text/plain', 'Ask the service itself.\n'],
    ['/livez', 200, 'text/plain', 'ok\n'],
  ])('answers %s itself with %i', async (path, status, type, body) => {
    const response = await fetch(gateway.url + path);

    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([status, type, body]);
  });

  it('passes path and query on as they were written', async () => {
    await send(gateway, { path: '/team/a%2Fb//c/%7Ed?q=%20+&r' });

    expect(gateway.seen.at(-1)?.request.url).toBe('/team/a%2Fb//c/%7Ed?q=%20+&r');
  });

  it('passes on the host, the authorization and what git says of itself', async () => {
    await send(gateway, {
      path: '/team/app/git-upload-pack',
      headers: { host: 'ci.example.org:8443', authorization: 'basic eA==', 'git-protocol': 'version=2', 'content-encoding': 'gzip' },
    });

    expect(gateway.seen.at(-1)?.request.headers).toMatchObject({
      host: 'ci.example.org:8443',
      authorization: 'basic eA==',
      'git-protocol': 'version=2',
      'content-encoding': 'gzip',
    });
  });

  it("names a request by the client's id, or by one of its own when that is none", async () => {
    const kept = await send(gateway, { path: '/', headers: { 'x-request-id': 'abc-1' } });
    const made = await send(gateway, { path: '/', headers: { 'x-request-id': 'a b\tc"' } });

    expect(kept.headers['x-request-id']).toBe('abc-1');
    expect(made.headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
    expect(gateway.seen.at(-1)?.request.headers['x-request-id']).toBe(made.headers['x-request-id']);
  });

  it('has no limit on bodies, and lets a service see the beginning before the client has sent the end', async () => {
    const client = openRequest(gateway, '/team/app/git-receive-pack');
    client.write(Buffer.alloc(3 * 1024 * 1024));
    const begun = await until(() => gateway.seen.at(-1)?.request.url === '/team/app/git-receive-pack');
    client.end('end');
    const [response] = (await once(client, 'response')) as [IncomingMessage];

    expect(begun).toBe(true);
    expect(response.statusCode).toBe(200);
  });

  it('lets a client see the beginning of an answer before its end', async () => {
    let end = () => {};
    gateway.answer('log_archiver', (_request, response) => {
      response.write('data: 1\n\n');
      end = () => response.end('data: 2\n\n');
    });
    const response = await fetch(`${gateway.url}/api/v1/repos/team/app/actions/jobs/7/logs/stream`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();

    const first = await reader.read();
    end();
    const second = await reader.read();

    expect(Buffer.from(first.value ?? []).toString()).toBe('data: 1\n\n');
    expect(Buffer.from(second.value ?? []).toString()).toBe('data: 2\n\n');
  });

  it.each([401, 404, 500, 502, 503])("leaves a service's own %i as it is", async (status) => {
    gateway.answer('event_ingest', (_request, response) => response.writeHead(status, { 'content-type': 'text/x-own' }).end('own words'));

    const response = await fetch(`${gateway.url}/webhooks/1`);

    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([status, 'text/x-own', 'own words']);
  });

  it('uses a connection to a service again', async () => {
    gateway.answer('console', (request, response) => response.end(String(request.socket.remotePort)));

    const ports = [await (await fetch(gateway.url)).text(), await (await fetch(gateway.url)).text()];

    expect(ports[0]).toBe(ports[1]);
  });

  it('never sends a POST a second time that a service has seen', async () => {
    for (const service of ['task_dispatcher', 'task_dispatcher_2']) gateway.answer(service, (request) => request.socket.destroy());
    const before = gateway.seen.length;

    const response = await fetch(`${gateway.url}${RPC}/FetchTask`, { method: 'POST', body: 'x' });

    expect(response.status).toBe(503);
    expect(gateway.seen.length - before).toBe(1);
  });

  it('refuses two authorizations in plain words, and keeps them out of its logs', async () => {
    const answer = await sendRaw(
      gateway,
      'GET /team/app/info/refs HTTP/1.1\r\nHost: x\r\nAuthorization: Basic hunter4\r\nAuthorization: Basic hunter5\r\nConnection: close\r\n\r\n',
    );

    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*content-type: text\/plain[^]*one Authorization header only\.\n$/i);
    expect(gateway.read('error.log') + gateway.read('access.log')).not.toMatch(/hunter[45]/);
  });

  it('refuses a header that is too long in plain words', async () => {
    const answer = await sendRaw(gateway, `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\nConnection: close\r\n\r\n`);

    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*content-type: text\/plain/i);
  });

  it('logs neither query nor authorization, and no poll that went well', async () => {
    await send(gateway, { path: `${RPC}/Quiet` });
    await send(gateway, { path: '/team/app/info/refs?token=hunter2', headers: { authorization: 'Bearer hunter3' } });

    const log = gateway.read('access.log');
    expect(log).toContain('"path":"/team/app/info/refs"');
    expect(log).not.toMatch(/hunter|Quiet/);
  });
});

describe('the gateway before services that are down', () => {
  let gateway: GatewayTest;

  beforeEach(async () => {
    gateway = await startGateway({ down: ['task_dispatcher', 'event_ingest', 'log_archiver', 'console'] });
  });
  afterEach(() => gateway.stop());

  it.each([
    ['/team/app/info/refs', 'text/plain', /^This part of Triphammer is not available/],
    [`${RPC}/UpdateLog`, 'text/plain', /^This part of Triphammer is not available/],
    ['/', 'text/plain', /^This part of Triphammer is not available/],
    ['/api/v1/repos/team/app/actions/jobs/7/logs', 'application/json', /^\{"message":"This part of Triphammer is not available/],
  ])('answers %s with 503 as %s, and says when to come again', async (path, type, body) => {
    const response = await fetch(gateway.url + path, { method: 'POST', body: 'x' });

    expect([response.status, response.headers.get('content-type'), response.headers.get('retry-after')]).toEqual([503, type, '2']);
    expect(await response.text()).toMatch(body);
  });

  it('takes the other replica, for a POST too', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => fetch(`${gateway.url}${RPC}/FetchTask`, { method: 'POST', body: 'x' })));

    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(Array(4).fill('task_dispatcher_2'));
  });
});

describe('the gateway below a path prefix', () => {
  let gateway: GatewayTest;

  beforeAll(async () => {
    gateway = await startGateway({ pathPrefix: '/ci' });
  });
  afterAll(() => gateway.stop());

  it.each([
    [`/ci${RPC}/UpdateLog`, 'log_archiver'],
    [`${RPC}/UpdateLog`, 'log_archiver'],
    ['/ci/team/app/info/refs', 'event_ingest'],
    ['/ci/api/v1/repos/team/a%20pp/actions/runs', 'task_dispatcher'],
  ])('sends %s to %s, with the path as it was written', async (path, service) => {
    const response = await send(gateway, { path });

    expect(response.text).toMatch(new RegExp(`^${service}`));
    expect(gateway.seen.at(-1)?.request.url).toBe(path);
  });
});

function openRequest({ port }: GatewayTest, path: string, headers: Record<string, string> = {}): ClientRequest {
  return httpRequest({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false });
}

/** Unlike fetch, it sends the path and the headers just so. */
async function send(gateway: GatewayTest, { path, headers = {} }: { path: string; headers?: Record<string, string> }) {
  const client = openRequest(gateway, path, headers);
  client.end('x');
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  let text = '';
  for await (const part of response) text += String(part);
  return { headers: response.headers, text };
}

async function sendRaw({ port }: GatewayTest, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let answer = '';
  for await (const part of socket) answer += String(part);
  return answer;
}

async function until(condition: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 200 && !condition(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 20));
  return condition();
}
