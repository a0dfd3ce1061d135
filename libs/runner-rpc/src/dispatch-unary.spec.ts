import { EventEmitter } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it, jest } from '@jest/globals';
import { Failure } from '@triphammer/foundation';
import { bindMethods, type Connection, dispatchUnary, type Methods, type UnaryReply } from './dispatch-unary';
import { FetchTaskRequestSchema, FetchTaskResponseSchema, RunnerService, UpdateLogResponseSchema } from './gen/runner/v1/runner_pb';
import { PreEncoded } from './pre-encoded';

// Tens of megabytes take their time on a busy machine.
jest.setTimeout(30_000);

type FetchTask = NonNullable<Methods<typeof RunnerService>['fetchTask']>;

const PROTO = { 'content-type': 'application/proto' };
const JSON_TYPE = { 'content-type': 'application/json' };
const echoVersion: FetchTask = async (request) => ({ tasksVersion: request.tasksVersion });

describe('the methods of a service', () => {
  it('are those that are given, under the names of the wire', () => {
    const bound = bindMethods(RunnerService, { updateLog: async () => ({}), fetchTask: async () => ({}) });

    expect(bound.map(({ procedure }) => procedure)).toEqual(['runner.v1.RunnerService/FetchTask', 'runner.v1.RunnerService/UpdateLog']);
  });
});

describe('a call', () => {
  it('is answered in the binary codec, with exactly that content type', async () => {
    const { reply } = await call(echoVersion, PROTO, fetchTask(7n));

    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/proto' } });
    expect(fromBinary(FetchTaskResponseSchema, reply.body)).toMatchObject({ tasksVersion: 7n });
  });

  it('is answered in JSON when it came in JSON', async () => {
    const { reply } = await call(echoVersion, { 'content-type': 'application/json; charset=utf-8' }, Buffer.from('{"tasksVersion":"7"}'));

    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    expect(reply.body.toString()).toBe('{"tasksVersion":"7"}');
  });

  it('needs no body and no protocol version, and an empty reply is a reply', async () => {
    const { reply } = await call(async () => ({}), PROTO, undefined);

    expect(reply).toEqual({ status: 200, headers: { 'content-type': 'application/proto' }, body: Buffer.alloc(0) });
  });

  it('may be answered with bytes made before', async () => {
    const idle = new PreEncoded(FetchTaskResponseSchema, { tasksVersion: 3n });

    const { reply } = await call(async () => idle, PROTO, fetchTask(3n));

    expect(reply.body).toBe(idle.bytes);
  });

  it.each(['application/grpc', 'text/html', undefined])('of the content type %p is refused with 415', async (contentType) => {
    const { reply, errors } = await call(echoVersion, { 'content-type': contentType }, fetchTask(1n));

    expect(reply).toMatchObject({ status: 415, headers: { 'content-type': 'application/json', 'accept-post': 'application/proto, application/json' } });
    expect(errorOf(reply).code).toBe('unknown');
    expect(errors).toEqual([]);
  });

  it('sees the headers and the budget of its client', async () => {
    const seen: unknown[] = [];
    const look: FetchTask = async (_request, context) => {
      seen.push(context.headers['x-runner-uuid'], context.timeoutMs);
      return {};
    };

    await call(look, { ...PROTO, 'x-runner-uuid': 'u-1', 'connect-timeout-ms': '4999' }, undefined);
    await call(look, PROTO, undefined);

    expect(seen).toEqual(['u-1', 4_999, undefined, undefined]);
  });

  it('sets headers of its reply, but never the content type', async () => {
    const { reply } = await call(
      async (_request, context) => {
        context.setHeader('X-Gitea-Actions-Capabilities', 'none');
        context.setHeader('Content-Type', 'text/html');
        return {};
      },
      PROTO,
      undefined,
    );

    expect(reply.headers).toEqual({ 'content-type': 'application/proto', 'x-gitea-actions-capabilities': 'none' });
  });
});

describe('a refusal', () => {
  it('has the code of the failure, the headers set so far, and is logged with its cause', async () => {
    const failure = new Failure('not-found', 'no such runner', { cause: new Error('select failed') });

    const { reply, errors } = await call(
      async (_request, context) => {
        context.setHeader('Retry-After', '1');
        throw failure;
      },
      PROTO,
      undefined,
    );

    expect(reply).toMatchObject({ status: 404, headers: { 'content-type': 'application/json', 'retry-after': '1' } });
    expect(errorOf(reply)).toEqual({ code: 'not_found', message: 'no such runner' });
    expect(errors).toEqual([[failure, 'runner.v1.RunnerService/FetchTask']]);
  });

  it('tells the client nothing of a defect, and the log everything', async () => {
    const defect = new TypeError('secret is not a function');

    const { reply, errors } = await call(
      async () => {
        throw defect;
      },
      PROTO,
      undefined,
    );

    expect(reply.status).toBe(500);
    expect(errorOf(reply)).toEqual({ code: 'internal', message: 'internal error' });
    expect(errors).toEqual([[defect, 'runner.v1.RunnerService/FetchTask']]);
  });

  it('answers a reply that cannot be encoded', async () => {
    const { reply } = await call(async () => ({ tasksVersion: 'seven' }) as never, PROTO, undefined);

    expect(errorOf(reply).code).toBe('internal');
  });

  it.each([
    ['a body that cannot be read', PROTO, Buffer.from([0xff]), 'invalid_argument'],
    ['JSON that cannot be read', JSON_TYPE, Buffer.from('{'), 'invalid_argument'],
    ['a malformed timeout', { ...PROTO, 'connect-timeout-ms': 'soon' }, undefined, 'invalid_argument'],
    ['an unknown encoding', { ...PROTO, 'content-encoding': 'br' }, Buffer.from([1]), 'unimplemented'],
    ['broken gzip', { ...PROTO, 'content-encoding': 'gzip' }, Buffer.from([1]), 'invalid_argument'],
    ['gzip that inflates beyond 32 MiB', { ...PROTO, 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(33_554_433), { level: 1 }), 'resource_exhausted'],
  ])('meets %s before the method is run', async (_what, headers, body, code) => {
    let runs = 0;

    const { reply } = await call(
      async () => {
        runs++;
        return {};
      },
      headers,
      body,
    );

    expect(errorOf(reply).code).toBe(code);
    expect(runs).toBe(0);
  });
});

describe('gzip', () => {
  it('is taken off a request', async () => {
    const { reply } = await call(echoVersion, { ...PROTO, 'content-encoding': 'gzip' }, gzipSync(fetchTask(9n)));

    expect(fromBinary(FetchTaskResponseSchema, reply.body)).toMatchObject({ tasksVersion: 9n });
  });

  const large = async () => ({ task: { machine: 'm'.repeat(2_000) } });

  it('is put on a large reply for a client that accepts it', async () => {
    const { reply } = await call(large, { ...PROTO, 'accept-encoding': 'gzip' }, undefined);

    expect(reply.headers).toEqual({ 'content-type': 'application/proto', 'content-encoding': 'gzip' });
    expect(fromBinary(FetchTaskResponseSchema, gunzipSync(reply.body)).task?.machine).toHaveLength(2_000);
  });

  it.each([
    ['a large reply for another client', large, {}],
    ['a small reply', echoVersion, { 'accept-encoding': 'gzip' }],
  ])('is not put on %s', async (_what, method, headers) => {
    const { reply } = await call(method, { ...PROTO, ...headers }, fetchTask(1n));

    expect(reply.headers).toEqual({ 'content-type': 'application/proto' });
    expect(() => fromBinary(FetchTaskResponseSchema, reply.body)).not.toThrow();
  });
});

describe('the signal of a call', () => {
  it('aborts when the connection closes before the reply is written', async () => {
    const connection = new FakeConnection();
    let aborted: boolean | undefined;

    await call(
      async (_request, { signal }) => {
        connection.emit('close');
        aborted = signal.aborted;
        return {};
      },
      PROTO,
      undefined,
      connection,
    );

    expect(aborted).toBe(true);
  });

  it('is aborted at once when the connection was closed before', async () => {
    const connection = new FakeConnection();
    connection.destroyed = true;
    let aborted: boolean | undefined;

    await call(
      async (_request, { signal }) => {
        aborted = signal.aborted;
        return {};
      },
      PROTO,
      undefined,
      connection,
    );

    expect(aborted).toBe(true);
  });

  it('does not abort when the reply was written', async () => {
    const connection = new FakeConnection();
    let signal: AbortSignal | undefined;
    await call(
      async (_request, context) => {
        signal = context.signal;
        return {};
      },
      PROTO,
      undefined,
      connection,
    );

    connection.writableFinished = true;
    connection.emit('close');

    expect(signal?.aborted).toBe(false);
  });

  it('is the same each time, and is not made unless it is asked for', async () => {
    const asked = new FakeConnection();
    const ignored = new FakeConnection();
    const signals = new Set<AbortSignal>();

    await call(
      async (_request, context) => {
        signals.add(context.signal).add(context.signal);
        return {};
      },
      PROTO,
      undefined,
      asked,
    );
    await call(echoVersion, PROTO, undefined, ignored);

    expect(signals.size).toBe(1);
    expect([asked.listenerCount('close'), ignored.listenerCount('close')]).toEqual([1, 0]);
  });
});

describe('UpdateLog', () => {
  it('inflates more than the other methods do', async () => {
    const rows = Buffer.concat(Array.from({ length: 34 }, () => logRow(Buffer.alloc(1_048_576, 'x'))));
    const [updateLog] = bindMethods(RunnerService, { updateLog: async (request) => ({ ackIndex: BigInt(request.rows.length) }) });
    if (!updateLog) throw new Error('UpdateLog is not bound');

    const reply = await dispatchUnary(
      updateLog,
      { headers: { ...PROTO, 'content-encoding': 'gzip' }, body: gzipSync(rows, { level: 1 }), connection: new FakeConnection() },
      rethrow,
    );

    expect(fromBinary(UpdateLogResponseSchema, reply.body)).toMatchObject({ ackIndex: 34n });
  });
});

class FakeConnection extends EventEmitter implements Connection {
  destroyed = false;
  writableFinished = false;
}

async function call(run: FetchTask, headers: IncomingHttpHeaders, body: Uint8Array | undefined, connection: Connection = new FakeConnection()) {
  const errors: unknown[][] = [];
  const [method] = bindMethods(RunnerService, { fetchTask: run });
  if (!method) throw new Error('FetchTask is not bound');
  const reply = await dispatchUnary(method, { headers, body, connection }, (...error) => errors.push(error));
  return { reply, errors };
}

function errorOf(reply: UnaryReply): { readonly code: string; readonly message: string } {
  expect(reply.headers['content-type']).toBe('application/json');
  return JSON.parse(reply.body.toString());
}

function fetchTask(tasksVersion: bigint): Uint8Array {
  return toBinary(FetchTaskRequestSchema, { $typeName: 'runner.v1.FetchTaskRequest', tasksVersion });
}

/** Field 3 of UpdateLogRequest, with the content in its field 2; the 4-byte lengths fit any line below 256 MiB. */
function logRow(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x1a]), varint4(content.length + 5), Buffer.from([0x12]), varint4(content.length), content]);
}

function varint4(value: number): Buffer {
  return Buffer.from([(value & 0x7f) | 0x80, ((value >> 7) & 0x7f) | 0x80, ((value >> 14) & 0x7f) | 0x80, value >> 21]);
}

function rethrow(error: unknown): never {
  throw error;
}
