import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { expect } from '@jest/globals';
import type { BlobStore } from './blob-store';

export function keyOf(digest: string): string {
  return `${digest.slice(0, 2)}/${digest.slice(2, 4)}/${digest}`;
}

/** Chunks of a size that divides nothing evenly. */
export async function* inChunks(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_521) yield bytes.subarray(at, at + 65_521);
}

/** Reads a blob and tells what it really is. */
export async function contentOf(store: BlobStore, digest: string): Promise<{ readonly digest: string; readonly size: number }> {
  const { stream, size, length, start } = await store.open(digest);
  expect({ start, length }).toEqual({ start: 0, length: size });
  const hash = createHash('sha256');
  let read = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    hash.update(chunk);
    read += chunk.length;
  }
  expect(read).toBe(size);
  return { digest: hash.digest('hex'), size: read };
}

export async function bytesOf(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
