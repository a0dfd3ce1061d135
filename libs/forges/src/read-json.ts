import { Failure } from '@triphammer/foundation';

/** Forges nest about eight deep. */
const MAX_DEPTH = 64;
/** A push of 2,048 commits with long file lists has some hundred thousand values. */
const MAX_VALUES = 2_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * The JSON object in these bytes (UTF-8, with or without a byte order mark). Depth and number of values are counted before
 * anything is built of them. Throws `invalid-input`.
 */
export function readJsonObject(bytes: Buffer): Record<string, unknown> {
  assertWithinLimits(bytes);
  const value = parse(new TextDecoder().decode(bytes));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Failure('invalid-input', 'The body is JSON, but not an object.');
  return value as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure('invalid-input', 'The body is not JSON.', { cause: error });
  }
}

function assertWithinLimits(bytes: Buffer): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
    } else if (OPENING.has(byte)) {
      depth += 1;
      values += 1;
      if (depth > MAX_DEPTH) throw new Failure('invalid-input', `The body is nested deeper than ${MAX_DEPTH} levels.`);
    } else if (CLOSING.has(byte)) {
      depth -= 1;
    } else if (byte === COMMA) {
      values += 1;
    }
    if (values > MAX_VALUES) throw new Failure('invalid-input', `The body holds more than ${MAX_VALUES} values.`);
  }
}

/** Bytes of multi-byte characters are all above 127, so they are never taken for a quote. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
