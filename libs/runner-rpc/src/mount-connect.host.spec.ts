import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fromBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { compressionGzip, createConnectTransport } from '@connectrpc/connect-node';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Failure, type FailureCode } from '@triphammer/foundation';
import fastify, { type FastifyInstance } from 'fastify';
import type { Methods } from './dispatch-unary';
import { PingService } from './gen/ping/v1/ping_pb';
import { FetchTaskResponseSchema, Result, RunnerService } from './gen/runner/v1/runner_pb';
import { type ConnectMount, mountConnect, mountUnimplemented } from './mount-connect';
import { PreEncoded } from './pre-encoded';

// Tens of megabytes take their time on a busy machine.
jest.setTimeout(30_000);

const PREFIX = '/sub/api/actions';
const FETCH_TASK = `${PREFIX}/runner.v1.RunnerService/FetchTask`;
const idle = new PreEncoded(FetchTaskResponseSchema, { tasksVersion: 1n });

const CODES = {
  'invalid-input': Code.InvalidArgument,
  unauthenticated: Code.Unauthenticated,
  forbidden: Code.PermissionDenied,
  'not-found': Code.NotFound,
  conflict: Code.Aborted,
  'precondition-failed': Code.FailedPrecondition,
  'too-large': Code.ResourceExhausted,
  unsupported: Code.Unimplemented,
  'rate-limited': Code.ResourceExhausted,
  cancelled: Code.Canceled,
  unavailable: Code.Unavailable,
  'upstream-failed': Code.Unavailable,
  corrupt: Code.DataLoss,
} as const satisfies Record<FailureCode, Code>;

let server: FastifyInstance | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe.each([
  ['binary', true],
  ['JSON', false],
])('the real Connect client in %s', (_codec, useBinaryFormat) => {
  it('gets its answers', async () => {
    const address = await serve({
      fetchTask: async ({ tasksVersion, taskCapacity }) => ({ tasksVersion: tasksVersion + 1n, task: { id: taskCapacity ?? 0n, context: { run_id: '7' } } }),
    });
    const client = runnerClient(address, useBinaryFormat);

    const reply = await client.fetchTask({ tasksVersion: 9_007_199_254_740_993n, taskCapacity: 4n });

    expect(reply.tasksVersion).toBe(9_007_199_254_740_994n);
    expect(reply.task).toMatchObject({ id: 4n, context: { run_id: '7' } });
  });

  it('gets an answer made before', async () => {
    const address = await serve({ fetchTask: async () => idle });

    expect(await runnerClient(address, useBinaryFormat).fetchTask({})).toEqual(idle.message);
  });

  it('sends gzip and gets gzip', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const address = await serve({
      updateTask: async ({ outputs }, { headers }) => {
        seen.push(headers);
        return { state: { result: Result.UNSPECIFIED }, sentOutputs: Object.values(outputs) };
      },
    });
    const replies: Headers[] = [];

    const reply = await runnerClient(address, useBinaryFormat).updateTask(
      { outputs: { large: 'x'.repeat(5_000) } },
      { onHeader: (headers) => replies.push(headers) },
    );

    expect(reply.sentOutputs).toEqual(['x'.repeat(5_000)]);
    expect(seen[0]).toMatchObject({ 'content-encoding': 'gzip' });
    expect(replies[0]?.get('content-encoding')).toBe('gzip');
  });

  it.each(Object.entries(CODES) as [FailureCode, Code][])('takes a failure %s for the code %d', async (failureCode, code) => {
    const address = await serve({ declare: () => Promise.reject(new Failure(failureCode, `because ${failureCode}`)) });

    const error = await refusal(runnerClient(address, useBinaryFormat).declare({}));

    expect(error).toMatchObject({ code, rawMessage: `because ${failureCode}` });
  });

  it('takes a defect for an internal error', async () => {
    const address = await serve({ declare: () => Promise.reject(new Error('select * from secret')) });

    expect(await refusal(runnerClient(address, useBinaryFormat).declare({}))).toMatchObject({ code: Code.Internal, rawMessage: 'internal error' });
  });

  it('takes a method that is not served for unimplemented', async () => {
    const address = await serve({ fetchTask: async () => idle });

    expect(await refusal(runnerClient(address, useBinaryFormat).fetchSingleTask({}))).toMatchObject({ code: Code.Unimplemented });
  });

  it('tells its budget, and its end aborts the call', async () => {
    const budgets: unknown[] = [];
    const ended = gate();
    const address = await serve({
      fetchTask: async (_request, { timeoutMs, signal }) => {
        budgets.push(timeoutMs);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        ended.open();
        return idle;
      },
    });

    const error = await refusal(runnerClient(address, useBinaryFormat).fetchTask({}, { timeoutMs: 1_000 }));
    await ended.opened;

    expect(error.code).toBe(Code.DeadlineExceeded);
    expect(budgets).toEqual([1_000]);
  });

  it('may hang up on a held call', async () => {
    const held = gate();
    const ended = gate();
    const address = await serve({
      fetchTask: async (_request, { signal }) => {
        signal.addEventListener('abort', () => ended.open());
        held.open();
        await ended.opened;
        return idle;
      },
    });
    const hangUp = new AbortController();

    const call = refusal(runnerClient(address, useBinaryFormat).fetchTask({}, { signal: hangUp.signal }));
    await held.opened;
    hangUp.abort();
    await ended.opened;

    expect((await call).code).toBe(Code.Canceled);
  });
});

describe('a mounted service', () => {
  it('stands beside other services and other parts of itself, and the answer for the rest is mounted once', async () => {
    server = fastify();
    server.post('/webhooks', async (request) => request.body);
    const onError = () => {};
    mountConnect(server, { prefix: PREFIX, service: PingService, methods: { ping: async ({ data }) => ({ data }) }, onError });
    mountConnect(server, { prefix: PREFIX, service: RunnerService, methods: { fetchTask: async () => idle }, onError });
    mountUnimplemented(server, PREFIX);
    mountConnect(server, { prefix: PREFIX, service: RunnerService, methods: { updateLog: async () => ({ ackIndex: 5n }) }, onError });
    mountUnimplemented(server, PREFIX);
    const address = await listen(server);
    const client = runnerClient(address, true);

    expect((await createClient(PingService, transport(address, true)).ping({ data: 'hello' })).data).toBe('hello');
    expect((await client.fetchTask({})).tasksVersion).toBe(1n);
    expect((await client.updateLog({})).ackIndex).toBe(5n);
    expect((await refusal(client.declare({}))).code).toBe(Code.Unimplemented);
    expect((await server.inject({ method: 'POST', url: '/webhooks', payload: { still: 'parsed' } })).json()).toEqual({ still: 'parsed' });
  });

  it('answers 405 to other verbs', async () => {
    const address = await serve({ fetchTask: async () => idle });

    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const reply = await send(address, method, FETCH_TASK, {}, undefined);
      expect(reply).toMatchObject({ status: 405, headers: { allow: 'POST', 'content-type': 'application/json' } });
    }
  });

  it.each(['application/proto', 'text/plain', '/', undefined])('answers 501 to an unknown method whatever was sent: %s', async (contentType) => {
    const address = await serve({ fetchTask: async () => idle });
    const headers = contentType === undefined ? {} : { 'content-type': contentType };

    const reply = await send(address, 'POST', `${PREFIX}/runner.v1.RunnerService/Dance?x=1`, headers, Buffer.alloc(2_000_000));

    expect(reply).toMatchObject({ status: 501, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(reply.body.toString())).toEqual({ code: 'unimplemented', message: `${PREFIX}/runner.v1.RunnerService/Dance is not served here` });
  });

  it.each(['text/plain', 'application/connect+proto', 'application/x-www-form-urlencoded', '/', undefined])(
    'answers 415 to the content type %s',
    async (contentType) => {
      const address = await serve({ fetchTask: async () => idle });
      const headers = contentType === undefined ? {} : { 'content-type': contentType };

      const reply = await send(address, 'POST', FETCH_TASK, headers, Buffer.from('x=1'));

      expect(reply).toMatchObject({ status: 415, headers: { 'accept-post': 'application/proto, application/json' } });
    },
  );

  it('names its content types to the letter, and the length of its replies', async () => {
    const address = await serve({ fetchTask: async () => idle });

    const proto = await send(address, 'POST', FETCH_TASK, { 'content-type': 'application/proto' }, undefined);
    const json = await send(address, 'POST', FETCH_TASK, { 'content-type': 'application/json' }, Buffer.from('{}'));

    expect(proto).toMatchObject({ status: 200, headers: { 'content-type': 'application/proto', 'content-length': '2' }, body: idle.bytes });
    expect(json).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(fromBinary(FetchTaskResponseSchema, proto.body)).toEqual(idle.message);
  });

  it('refuses a body beyond the limit, and not with 413', async () => {
    const errors: unknown[] = [];
    const address = await serve({ updateTask: async () => ({}) }, { onError: (error) => errors.push(error) });

    const reply = await send(
      address,
      'POST',
      `${PREFIX}/runner.v1.RunnerService/UpdateTask`,
      { 'content-type': 'application/proto', 'content-length': 33_554_433 },
      undefined,
    );

    expect(reply.status).toBe(429);
    expect(JSON.parse(reply.body.toString())).toEqual({ code: 'resource_exhausted', message: 'the message is larger than 32 MiB' });
    expect(errors).toHaveLength(1);
  });

  it('logs a client that hangs up in the middle of its message as cancelled', async () => {
    const logged = gate<unknown>();
    const address = await serve({ updateTask: async () => ({}) }, { onError: logged.open });
    const headers = { 'content-type': 'application/proto', 'content-length': 1_000 };

    const outgoing = httpRequest(`${address}${PREFIX}/runner.v1.RunnerService/UpdateTask`, { method: 'POST', headers, agent: false });
    outgoing.on('error', () => {});
    outgoing.write(Buffer.alloc(10), () => outgoing.destroy());

    expect(await logged.opened).toMatchObject({ code: 'cancelled' });
  });

  it('accepts log calls far beyond the limit of the others', async () => {
    const address = await serve({ updateLog: async ({ rows }) => ({ ackIndex: BigInt(rows[0]?.content.length ?? 0) }) });
    const line = 'x'.repeat(40 * 1_048_576);

    const reply = await createClient(RunnerService, createConnectTransport({ baseUrl: `${address}${PREFIX}`, httpVersion: '1.1' })).updateLog({
      rows: [{ content: line }],
    });

    expect(reply.ackIndex).toBe(BigInt(line.length));
  });

  it('turns a stranger away before his body is read', async () => {
    const address = await serve(
      { updateLog: async () => ({}) },
      {
        admit: async (headers) => {
          if (headers['x-runner-token'] !== 'known') throw new Failure('unauthenticated', 'this runner is not registered');
        },
      },
    );
    const url = `${PREFIX}/runner.v1.RunnerService/UpdateLog`;

    const stranger = await send(address, 'POST', url, { 'content-type': 'application/proto', 'content-length': 200_000_000 }, Buffer.alloc(1));
    const known = await send(address, 'POST', url, { 'content-type': 'application/proto', 'x-runner-token': 'known' }, undefined);

    expect(stranger.status).toBe(401);
    expect(JSON.parse(stranger.body.toString())).toEqual({ code: 'unauthenticated', message: 'this runner is not registered' });
    expect(known.status).toBe(200);
  });
});

type Runner = typeof RunnerService;

async function serve(methods: Methods<Runner>, more: Partial<Pick<ConnectMount<Runner>, 'admit' | 'onError'>> = {}): Promise<string> {
  server = fastify();
  mountConnect(server, { prefix: PREFIX, service: RunnerService, methods, onError: () => {}, ...more });
  mountUnimplemented(server, PREFIX);
  return listen(server);
}

async function listen(instance: FastifyInstance): Promise<string> {
  await instance.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${(instance.server.address() as AddressInfo).port}`;
}

function transport(address: string, useBinaryFormat: boolean) {
  return createConnectTransport({
    baseUrl: `${address}${PREFIX}`,
    httpVersion: '1.1',
    useBinaryFormat,
    sendCompression: compressionGzip,
    acceptCompression: [compressionGzip],
  });
}

function runnerClient(address: string, useBinaryFormat: boolean) {
  return createClient(RunnerService, transport(address, useBinaryFormat));
}

async function refusal(call: Promise<unknown>): Promise<ConnectError> {
  return call.then(
    () => {
      throw new Error('the call was not refused');
    },
    (error) => ConnectError.from(error),
  );
}

function gate<Value = void>() {
  let open: (value: Value) => void = () => {};
  const opened = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** A request as no Connect client would send it. It hangs up once it has the reply. */
function send(address: string, method: string, path: string, headers: Record<string, string | number>, body: Buffer | undefined) {
  return new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    const outgoing = httpRequest(`${address}${path}`, { method, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode, headers: incoming.headers, body: Buffer.concat(chunks) });
        outgoing.destroy();
      });
    });
    outgoing.on('error', reject);
    if (Number(headers['content-length'] ?? 0) > (body?.length ?? 0)) {
      outgoing.flushHeaders();
      if (body) outgoing.write(body);
    } else {
      outgoing.end(body);
    }
  });
}
