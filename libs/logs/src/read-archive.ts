import { Decoder } from '@toondepauw/node-zstd';
import type { BlobStore } from '@triphammer/blob-store';
import { Failure } from '@triphammer/foundation';
import type { LogEncoding } from '@triphammer/models/logs';
import { type LogBlock, sliceBlock } from './log-block';

/** A sealed log: its object, and where in it the rows lie. */
export interface Archive {
  readonly digest: string;
  readonly encoding: LogEncoding;
  readonly size: number;
  /** Rows of each frame. */
  readonly frameRows: readonly number[];
  /** Bytes that each frame takes in the object. */
  readonly frameBytes: readonly number[];
}

interface FramePlace {
  readonly start: number;
  readonly rows: number;
  readonly offset: number;
  readonly bytes: number;
}

/** The rows `from` to `to` (exclusive), by one ranged read of the frames that hold them. */
export async function* readArchive(blobs: BlobStore, archive: Archive, range: { readonly from: number; readonly to: number }): AsyncGenerator<LogBlock> {
  const frames = framesOf(archive).filter((frame) => frame.start < range.to && frame.start + frame.rows > range.from);
  const first = frames[0];
  const last = frames.at(-1);
  if (!first || !last) return;
  const { stream } = await blobs.open(archive.digest, { start: first.offset, end: last.offset + last.bytes - 1 });
  const decoder = new Decoder();
  let at = 0;
  for await (const bytes of pieces(stream, frames)) {
    const frame = frames[at] as FramePlace;
    at += 1;
    const text = archive.encoding === 'zstd' ? await decode(decoder, bytes, archive) : bytes;
    yield sliceBlock({ start: frame.start, rows: frame.rows, text }, range.from, range.to);
  }
  if (at < frames.length) throw corrupt(archive);
}

function framesOf(archive: Archive): FramePlace[] {
  let start = 0;
  let offset = 0;
  return archive.frameRows.map((rows, at) => {
    const bytes = archive.frameBytes[at] as number;
    const frame = { start, rows, offset, bytes };
    start += rows;
    offset += bytes;
    return frame;
  });
}

/** A stream cut into pieces of these lengths; what is missing at its end is not delivered. */
async function* pieces(stream: AsyncIterable<Buffer>, frames: readonly FramePlace[]): AsyncGenerator<Buffer> {
  let at = 0;
  let held: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    held.push(part);
    size += part.length;
    while (at < frames.length && size >= (frames[at] as FramePlace).bytes) {
      const all = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held);
      const length = (frames[at] as FramePlace).bytes;
      yield all.subarray(0, length);
      held = [all.subarray(length)];
      size -= length;
      at += 1;
    }
  }
}

async function decode(decoder: Decoder, bytes: Buffer, archive: Archive): Promise<Buffer> {
  try {
    return await decoder.decode(bytes);
  } catch (cause) {
    throw corrupt(archive, cause);
  }
}

function corrupt(archive: Archive, cause?: unknown): Failure {
  return new Failure('corrupt', `The archived log ${archive.digest} cannot be read.`, { cause });
}
