import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, createRegistry, type DescMessage, equals, type JsonObject, toBinary } from '@bufbuild/protobuf';
import { DoubleValueSchema, Field_Kind, FieldSchema, FloatValueSchema, SourceCodeInfo_LocationSchema } from '@bufbuild/protobuf/wkt';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from '@jest/globals';
import { encodeReply, requestDecoder } from './codec';
import { file_ping_v1_ping } from './gen/ping/v1/ping_pb';
import {
  FetchSingleTaskRequestSchema,
  FetchTaskRequestSchema,
  FetchTaskResponseSchema,
  file_runner_v1_runner,
  RegisterRequestSchema,
  Result,
  TaskStateSchema,
  UpdateLogRequestSchema,
  UpdateTaskRequestSchema,
} from './gen/runner/v1/runner_pb';
import { PreEncoded } from './pre-encoded';

const ALL = Number.POSITIVE_INFINITY;
const registry = createRegistry(file_ping_v1_ping, file_runner_v1_runner);

/** Made with Go's protobuf from the forges' own descriptors: both codecs of one message a line. */
const recorded = JSON.parse(readFileSync(join(__dirname, '../testdata/go-messages.json'), 'utf8')) as readonly {
  readonly type: string;
  readonly binary: string;
  readonly json: JsonObject;
}[];

describe('a message made by Go', () => {
  it.each(recorded)('$type is read and written alike in both codecs: $binary', ({ type, binary, json }) => {
    const schema = registry.getMessage(type) ?? fail(type);
    const decode = requestDecoder(schema, ALL);

    const fromProto = decode('proto', Buffer.from(binary, 'base64'));
    const fromJson = decode('json', Buffer.from(JSON.stringify(json)));

    expect(equals(schema, fromProto, fromJson)).toBe(true);
    expect(encodeReply(schema, 'proto', fromProto).toString('base64')).toBe(binary);
    expect(JSON.parse(encodeReply(schema, 'json', fromProto).toString())).toEqual(json);
  });

  it('is there for every message that both forges know', () => {
    const known = [...registry].flatMap((type) => (type.kind === 'message' && /(?:Request|Response)$/.test(type.typeName) ? [type.typeName] : []));

    const onlyForgejo = known.filter((name) => !recorded.some(({ type }) => type === name));

    expect(onlyForgejo).toEqual(['runner.v1.FetchSingleTaskRequest', 'runner.v1.FetchSingleTaskResponse']);
  });
});

describe('JSON', () => {
  it.each([
    ['an int64 as text', { tasksVersion: '9007199254740993' }, 9_007_199_254_740_993n],
    ['an int64 as number', { tasksVersion: 42 }, 42n],
    ['a field by its proto name', { tasks_version: 5 }, 5n],
    ['unknown fields', { tasksVersion: 1, queue: { depth: [1] } }, 1n],
    ['null for the default', { tasksVersion: null }, 0n],
  ])('may have %s', (_what, json, version) => {
    expect(decodeJson(FetchTaskRequestSchema, json)).toMatchObject({ tasksVersion: version });
  });

  it.each([
    ['RESULT_CANCELLED', Result.CANCELLED],
    [3, Result.CANCELLED],
    ['RESULT_FROM_THE_FUTURE', Result.UNSPECIFIED],
  ])('may name an enum value %j', (result, expected) => {
    expect(decodeJson(TaskStateSchema, { result })).toMatchObject({ result: expected });
  });

  it.each(['', '[]', 'null', '{"tasksVersion":1.5}', '{"tasksVersion":"x"}', '{"tasksVersion":', '{"tasksVersion":1,"tasksVersion":2}', '['.repeat(50_000)])(
    'is refused as a FetchTaskRequest: %.40s',
    (text) => {
      const decode = requestDecoder(FetchTaskRequestSchema, ALL);

      expect(() => decode('json', Buffer.from(text))).toThrow(
        expect.objectContaining({ code: 'invalid-input', message: expect.stringContaining('application/json of runner.v1.FetchTaskRequest') }),
      );
    },
  );
});

describe('the binary codec', () => {
  it('takes no bytes for a message of defaults', () => {
    expect(decodeProto(FetchTaskRequestSchema, Buffer.alloc(0))).toMatchObject({ tasksVersion: 0n });
  });

  it('ignores unknown fields and does not keep them', () => {
    const bytes = new BinaryWriter().tag(1, WireType.Varint).int64(7).tag(99, WireType.LengthDelimited).string('later').finish();

    const message = decodeProto(FetchTaskRequestSchema, bytes);

    expect(message).toMatchObject({ tasksVersion: 7n });
    expect(message.$unknown).toBeUndefined();
  });

  it('takes a known field in a foreign wire type for unknown', () => {
    const text = '3071b891-f6e1-4766-881a-efc869f72457';
    const swapped = new BinaryWriter().tag(1, WireType.LengthDelimited).string(text).tag(2, WireType.Varint).int64(5).finish();

    expect(decodeProto(FetchSingleTaskRequestSchema, swapped)).toEqual(create(FetchSingleTaskRequestSchema));
  });

  it('reads the fields around a foreign one', () => {
    const bytes = new BinaryWriter()
      .tag(1, WireType.LengthDelimited)
      .string('runner')
      .tag(5, WireType.Bit32)
      .fixed32(1)
      .tag(6, WireType.LengthDelimited)
      .string('linux')
      .tag(6, WireType.Bit64)
      .fixed64(1)
      .tag(7, WireType.Varint)
      .bool(true)
      .finish();

    expect(decodeProto(RegisterRequestSchema, bytes)).toEqual(create(RegisterRequestSchema, { name: 'runner', labels: ['linux'], ephemeral: true }));
  });

  it('reads every field of an UpdateTaskRequest, maps and enums too', () => {
    const sent = create(UpdateTaskRequestSchema, { state: { id: 1n, result: Result.SUCCESS, steps: [{ logLength: 2n }] }, outputs: { a: '1', b: '' } });

    expect(decodeProto(UpdateTaskRequestSchema, toBinary(UpdateTaskRequestSchema, sent))).toEqual(sent);
  });

  it.each([
    ['numbers in a row', create(SourceCodeInfo_LocationSchema, { path: [4, 0, 300], leadingComments: 'x' }), SourceCodeInfo_LocationSchema],
    ['8 bytes', create(DoubleValueSchema, { value: 0.1 }), DoubleValueSchema],
    ['4 bytes', create(FloatValueSchema, { value: 0.5 }), FloatValueSchema],
    ['an enum', create(FieldSchema, { kind: Field_Kind.TYPE_BOOL }), FieldSchema],
  ])('reads %s', (_what, sent, schema) => {
    expect(decodeProto(schema, toBinary<DescMessage>(schema, sent))).toEqual(sent);
  });

  it('leaves out what stands behind the last record allowed', () => {
    const rows = Array.from({ length: 5 }, (_unused, index) => ({ content: `line ${index}` }));
    const sent = create(UpdateLogRequestSchema, { taskId: 1n, index: 10n, rows, noMore: true });
    const decode = requestDecoder(UpdateLogRequestSchema, 4);

    const read = decode('proto', toBinary(UpdateLogRequestSchema, sent));

    expect(read).toEqual(create(UpdateLogRequestSchema, { taskId: 1n, index: 10n, rows: rows.slice(0, 2), noMore: false }));
  });

  it.each([
    ['a tag that breaks off', [0x80]],
    ['a number that breaks off', [0x08, 0xff]],
    ['a text longer than the body', [0x12, 0x05, 0x61]],
    ['field number 0', [0x00, 0x01]],
    ['an end without a group', [0x0c]],
    ['invalid UTF-8', [0x12, 0x02, 0xc3, 0x28]],
    ['groups without an end', new Array<number>(5_000).fill(0x1b)],
  ])('refuses %s', (_what, bytes) => {
    const decode = requestDecoder(FetchSingleTaskRequestSchema, ALL);

    expect(() => decode('proto', Uint8Array.from(bytes))).toThrow(expect.objectContaining({ code: 'invalid-input' }));
  });
});

describe('a pre-encoded reply', () => {
  const idle = new PreEncoded(FetchTaskResponseSchema, { tasksVersion: 7n });

  it('is sent as the same bytes each time', () => {
    expect(encodeReply(FetchTaskResponseSchema, 'proto', idle)).toBe(idle.bytes);
    expect(idle.bytes).toEqual(encodeReply(FetchTaskResponseSchema, 'proto', { tasksVersion: 7n }));
  });

  it('is written out for a JSON client', () => {
    expect(JSON.parse(encodeReply(FetchTaskResponseSchema, 'json', idle).toString())).toEqual({ tasksVersion: '7' });
  });
});

function decodeJson(schema: DescMessage, json: unknown) {
  return requestDecoder(schema, ALL)('json', Buffer.from(JSON.stringify(json)));
}

function decodeProto(schema: DescMessage, bytes: Uint8Array) {
  return requestDecoder(schema, ALL)('proto', bytes);
}

function fail(type: string): never {
  throw new Error(`there is no message ${type}`);
}
