import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import { Failure, formatByteSize } from '@triphammer/foundation';

/** Both forges compress from here on; below it the header costs more than it saves. */
const GZIP_FROM_BYTES = 1_024;
/** Event payloads shrink nearly as well on the fastest level, at a third of the time. */
const GZIP_OPTIONS = { level: constants.Z_BEST_SPEED };

const gunzipAsync = promisify(gunzip);
const gzipAsync = promisify(gzip);

/** The body without its `Content-Encoding`. Refuses other encodings than gzip, and what grows beyond `limit` bytes. */
export async function inflate(body: Uint8Array, encoding: string, limit: number): Promise<Uint8Array> {
  if (encoding === 'identity' || body.byteLength === 0) return body;
  if (encoding !== 'gzip') throw new Failure('unsupported', `content encoding "${encoding}" is not known here; gzip is`);
  try {
    return await gunzipAsync(body, { maxOutputLength: limit });
  } catch (cause) {
    if (hasCode(cause, 'ERR_BUFFER_TOO_LARGE')) {
      throw new Failure('too-large', `the message is larger than ${formatByteSize(limit)}`, { cause });
    }
    throw new Failure('invalid-input', 'the body is not valid gzip', { cause });
  }
}

/** Whether to gzip a reply of this size for a client that sent this `Accept-Encoding`. */
export function isGzipWorthwhile(byteLength: number, acceptEncoding: string | readonly string[] | undefined): boolean {
  return byteLength >= GZIP_FROM_BYTES && acceptsGzip(String(acceptEncoding ?? ''));
}

export function deflate(body: Uint8Array): Promise<Buffer> {
  return gzipAsync(body, GZIP_OPTIONS);
}

function acceptsGzip(acceptEncoding: string): boolean {
  return acceptEncoding.split(',').some((entry) => {
    const [name, ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase());
    return name === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
