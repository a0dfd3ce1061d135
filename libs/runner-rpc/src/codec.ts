import {
  create,
  type DescField,
  type DescMessage,
  fromBinary,
  fromJsonString,
  type Message,
  type MessageInitShape,
  ScalarType,
  toBinary,
  toJsonString,
} from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { Failure } from '@triphammer/foundation';
import { CONTENT_TYPES, type Codec } from './content-type';
import { PreEncoded } from './pre-encoded';

const MAX_REASON_LENGTH = 300;

/**
 * A decoder for requests of one type. Unknown fields are ignored, and so is a known field in a wire type that is not its own.
 * Throws `invalid-input`. `records` limits the outermost binary message, see MethodLimits.
 */
export function requestDecoder(schema: DescMessage, records: number): (codec: Codec, bytes: Uint8Array) => Message {
  const expected = new Map(schema.fields.map((field) => [field.number, wireTypesOf(field)]));
  return (codec, bytes) => {
    try {
      if (codec === 'proto') {
        return fromBinary(schema, readableRecords(bytes, expected, records), { readUnknownFields: false });
      }
      return fromJsonString(schema, asBuffer(bytes).toString(), { ignoreUnknownFields: true });
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message.slice(0, MAX_REASON_LENGTH) : 'unreadable';
      throw new Failure('invalid-input', `the body is not ${CONTENT_TYPES[codec]} of ${schema.typeName}: ${reason}`, { cause });
    }
  };
}

export function encodeReply<Desc extends DescMessage>(schema: Desc, codec: Codec, reply: MessageInitShape<Desc> | PreEncoded<Desc>): Buffer {
  if (reply instanceof PreEncoded) return codec === 'proto' ? reply.bytes : Buffer.from(toJsonString(schema, reply.message));
  const message = create(schema, reply);
  return codec === 'proto' ? asBuffer(toBinary(schema, message)) : Buffer.from(toJsonString(schema, message));
}

/**
 * protobuf-es looks at a field's number alone and misreads one that comes in another wire type; Go takes that one for unknown.
 * Forgejo's numbers may yet prove to be others than ours, so the outermost message is read Go's way.
 */
function readableRecords(bytes: Uint8Array, expected: ReadonlyMap<number, number>, limit: number): Uint8Array {
  const reader = new BinaryReader(bytes);
  const kept: Uint8Array[] = [];
  let keptTo = 0;
  for (let count = 0; reader.pos < reader.len && count < limit; count++) {
    const start = reader.pos;
    const [number, wireType] = reader.tag();
    reader.skip(wireType, number);
    const allowed = expected.get(number);
    if (allowed !== undefined && (allowed & (1 << wireType)) === 0) {
      kept.push(bytes.subarray(keptTo, start));
      keptTo = reader.pos;
    }
  }
  if (keptTo === 0) return reader.pos === bytes.length ? bytes : bytes.subarray(0, reader.pos);
  kept.push(bytes.subarray(keptTo, reader.pos));
  return Buffer.concat(kept);
}

/** A set of wire types, one bit each. Lists of numbers come packed or one by one. */
function wireTypesOf(field: DescField): number {
  const packed = field.fieldKind === 'list' ? 1 << WireType.LengthDelimited : 0;
  return (1 << wireTypeOf(field)) | packed;
}

function wireTypeOf(field: DescField): WireType {
  if (field.fieldKind === 'map' || field.message) return WireType.LengthDelimited;
  return field.enum ? WireType.Varint : scalarWireType(field.scalar);
}

function scalarWireType(scalar: ScalarType): WireType {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return WireType.LengthDelimited;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return WireType.Bit64;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return WireType.Bit32;
    default:
      return WireType.Varint;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
