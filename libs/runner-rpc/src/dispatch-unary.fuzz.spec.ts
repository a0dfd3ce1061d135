import { EventEmitter } from 'node:events';
import { gunzipSync } from 'node:zlib';
import { toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bindMethods, type Connection, dispatchUnary, type UnaryReply } from './dispatch-unary';
import { RunnerService, UpdateLogRequestSchema, UpdateTaskRequestSchema } from './gen/runner/v1/runner_pb';

const CODES = new Set(['invalid_argument', 'resource_exhausted', 'unimplemented', 'unknown']);

const methods = bindMethods(RunnerService, {
  register: async (request) => ({ runner: { name: request.name, labels: request.labels, ephemeral: request.ephemeral } }),
  fetchTask: async (request) => ({ tasksVersion: request.tasksVersion }),
  fetchSingleTask: async (request) => ({ tasksVersion: request.tasksVersion, task: { machine: request.handle ?? '' } }),
  updateTask: async (request) => ({ ...(request.state ? { state: { id: request.state.id } } : {}), sentOutputs: Object.keys(request.outputs) }),
  updateLog: async (request) => ({ ackIndex: request.index }),
});

const validBodies = [
  toBinary(UpdateLogRequestSchema, {
    $typeName: 'runner.v1.UpdateLogRequest',
    taskId: 7n,
    index: 100n,
    noMore: true,
    rows: [
      {
        $typeName: 'runner.v1.LogRow',
        content: 'make: *** [all] Error 2',
        time: { $typeName: 'google.protobuf.Timestamp', seconds: 1_764_500_000n, nanos: 9 },
      },
    ],
  }),
  toBinary(UpdateTaskRequestSchema, { $typeName: 'runner.v1.UpdateTaskRequest', outputs: { version: '1.2.3', ['__proto__']: 'x' } }),
  Buffer.from('{"tasksVersion":"7","taskCapacity":2,"rows":[{"time":"2026-11-30T00:00:00Z","content":"x"}],"outputs":{"a":"b"}}'),
];

const mutatedBody = fc
  .tuple(fc.constantFrom(...validBodies), fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 4 }), fc.nat(200))
  .map(([body, changes, length]) => {
    const mutated = Uint8Array.from(body);
    for (const [at, byte] of changes) if (at < mutated.length) mutated[at] = byte;
    return mutated.subarray(0, length);
  });

const call = fc.record({
  method: fc.constantFrom(...methods),
  body: fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    mutatedBody,
    fc.json().map((text) => Buffer.from(text)),
    fc.constant(undefined),
  ),
  contentType: fc.oneof({ weight: 6, arbitrary: fc.constantFrom('application/proto', 'application/json') }, { weight: 1, arbitrary: fc.string() }),
  encoding: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom('gzip', 'identity', 'br') }),
  timeout: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(undefined, '4999') }, { weight: 1, arbitrary: fc.string() }),
  accept: fc.oneof(fc.constantFrom(undefined, 'gzip'), fc.string()),
});

describe('whatever bytes come in', () => {
  it('the answer is a message or a Connect error, and never a defect of ours', async () => {
    const statuses = new Set<number>();

    await fc.assert(
      fc.asyncProperty(call, async ({ method, body, contentType, encoding, timeout, accept }) => {
        const headers = {
          'content-type': contentType,
          'content-encoding': encoding,
          'connect-timeout-ms': timeout,
          'accept-encoding': accept,
        };

        const reply = await dispatchUnary(method, { headers, body, connection: new OpenConnection() }, () => {});

        statuses.add(reply.status);
        if (reply.status === 200) expectMessage(reply, contentType);
        else expectRefusal(reply);
      }),
      { numRuns: 1_500 },
    );

    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 415, 501]));
  }, 60_000);
});

function expectMessage(reply: UnaryReply, contentType: string): void {
  expect(reply.headers['content-type']).toBe(contentType);
  const body = reply.headers['content-encoding'] === 'gzip' ? gunzipSync(reply.body) : reply.body;
  if (contentType === 'application/json') expect(typeof JSON.parse(body.toString())).toBe('object');
}

function expectRefusal(reply: UnaryReply): void {
  expect(reply.headers['content-type']).toBe('application/json');
  const error: { readonly code: string; readonly message: string } = JSON.parse(reply.body.toString());
  expect(CODES).toContain(error.code);
  expect(error.message).not.toBe('');
}

class OpenConnection extends EventEmitter implements Connection {
  readonly destroyed = false;
  readonly writableFinished = false;
}
