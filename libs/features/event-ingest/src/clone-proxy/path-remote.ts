import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Failure, formatByteSize, isFailure, raise } from '@triphammer/foundation';
import { bodyOf, type GitAnswer, type GitCall, served } from './git-call';
import { gitProtocolOf, isVersion2 } from './git-protocol';
import type { UploadPack, UploadPacks } from './upload-pack';

/** Wants and haves of a fetch, inflated: some 50 bytes for each of a million objects. */
const MAX_REQUEST_BYTES = 64 * 1024 * 1024;
/** What http puts before the advertisement of the versions 0 and 1: one pkt-line and a flush. */
const SERVICE_HEADER = '001e# service=git-upload-pack\n0000';

/**
 * Serves the repository in the folder `path`, an absolute path that the caller has resolved. Waits for the first bytes, so
 * that a repository which cannot be read is refused with a status. Throws `not-found`, `invalid-input`, `too-large`,
 * `unavailable` or `upstream-failed`.
 */
export async function readPath(packs: UploadPacks, path: string, call: GitCall): Promise<GitAnswer> {
  const inflate = inflaterOf(call);
  await assertFolder(path);
  call.gone.throwIfAborted();
  const protocol = gitProtocolOf(call.headers['git-protocol']);
  const pack = packs.start(path, call.kind, protocol);
  call.gone.addEventListener('abort', () => pack.stop(), { once: true });
  const fed = call.kind === 'result' ? feed(call, inflate, pack) : void pack.stdin.end();
  const chunks: AsyncIterableIterator<Buffer> = pack.stdout[Symbol.asyncIterator]();
  // Stopped output is an error to its reader; here it is as good as none.
  const first = await chunks.next().catch(() => undefined);
  if (first === undefined || first.done) {
    const failure = await fed;
    if (failure) throw failure;
    if ((await pack.ended) !== 0) throw new Failure('upstream-failed', 'Git could not answer this on the server; the log has the cause.');
    // A flush alone, with which git probes before a long request, is answered with nothing.
    return served(call.kind, '');
  }
  const opening = call.kind === 'advertisement' && !isVersion2(protocol) ? SERVICE_HEADER : '';
  return served(call.kind, Readable.from(output(opening, first.value, chunks, pack), { objectMode: false }));
}

async function assertFolder(path: string): Promise<void> {
  if (!isAbsolute(path)) raise('a path remote needs an absolute path');
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) throw new Failure('not-found', "The repository's folder is no longer where its connection says.");
}

async function* output(opening: string, first: Buffer, rest: AsyncIterableIterator<Buffer>, pack: UploadPack): AsyncGenerator<Buffer> {
  if (opening !== '') yield Buffer.from(opening);
  yield first;
  yield* rest;
  // What went wrong in git stands in the output (`ERR`, band 3) and ends it with a code. Without a code the pack was cut off,
  // and the client must see the connection break.
  if ((await pack.ended) === null) throw new Error('git upload-pack was ended by a signal');
}

function inflaterOf(call: GitCall): readonly Transform[] {
  const encoding = call.headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return [];
  if (encoding === 'gzip' || encoding === 'x-gzip') return [createGunzip()];
  throw new Failure('invalid-input', `A body with the Content-Encoding ${encoding} cannot be read; git sends gzip.`);
}

/** Pipes the request in. Resolves to what is wrong with it, which also stops the process. */
async function feed(call: GitCall, inflate: readonly Transform[], pack: UploadPack): Promise<Failure | undefined> {
  try {
    await pipeline([bodyOf(call.raw), ...inflate, atMost(MAX_REQUEST_BYTES), pack.stdin]);
    return undefined;
  } catch (error) {
    const failure = bodyFailure(error);
    if (failure) pack.stop();
    return failure;
  }
}

function bodyFailure(error: unknown): Failure | undefined {
  if (isFailure(error)) return error;
  const code = (error as NodeJS.ErrnoException).code;
  // Otherwise one of the two ends went away, which the other end hears by itself.
  return code?.startsWith('Z_') ? new Failure('invalid-input', 'The body is not the gzip stream it is said to be.', { cause: error }) : undefined;
}

function atMost(limit: number): Transform {
  let total = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length;
      if (total > limit) done(new Failure('too-large', `The request of a fetch may have ${formatByteSize(limit)}.`));
      else done(null, chunk);
    },
  });
}
