import { mkdir, open as openFile, readdir, rename, rm, stat as statFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure, newUuid } from '@triphammer/foundation';
import { blobKey, noSuchBlob } from './blob-key';
import type { BlobStore, ExpectedBlob, OpenBlob, StoredBlob } from './blob-store';
import { BodyMeter, readThrough } from './body-meter';
import { type ByteRange, locate } from './byte-range';
import { errorCode } from './error-code';

/** Blobs as files below one folder, `aa/bb/<digest>`; bodies that are still coming in lie in `staging/`. */
export class DiskBlobStore implements BlobStore {
  private readonly staging: string;

  constructor(private readonly root: string) {
    this.staging = join(root, 'staging');
  }

  async put(body: AsyncIterable<Uint8Array>, expected: ExpectedBlob = {}): Promise<StoredBlob> {
    if (expected.digest !== undefined && (await this.stat(expected.digest))) return readThrough(body, expected);
    const staged = join(this.staging, newUuid());
    await onDisk(mkdir(this.staging, { recursive: true }));
    try {
      const blob = await this.write(staged, body, expected);
      if (!(await this.stat(blob.digest))) await onDisk(moveDurably(staged, this.pathOf(blob.digest)));
      return blob;
    } finally {
      await onDisk(rm(staged, { force: true }));
    }
  }

  async open(digest: string, range?: ByteRange): Promise<OpenBlob> {
    const file = (await onDisk(unlessMissing(openFile(this.pathOf(digest))))) ?? noSuchBlob(digest);
    try {
      const { size } = await onDisk(file.stat());
      const { start, length } = locate(range, size);
      return { size, start, length, stream: file.createReadStream({ start, end: Math.max(start, start + length - 1) }) };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async stat(digest: string): Promise<StoredBlob | undefined> {
    const found = await onDisk(unlessMissing(statFile(this.pathOf(digest))));
    return found && { digest, size: found.size };
  }

  async remove(digest: string): Promise<void> {
    await onDisk(rm(this.pathOf(digest), { force: true }));
  }

  async signedUrl(digest: string): Promise<undefined> {
    blobKey(digest);
  }

  async sweepAbandoned(before: Date): Promise<number> {
    const names = (await onDisk(unlessMissing(readdir(this.staging)))) ?? [];
    let swept = 0;
    for (const name of names) {
      const path = join(this.staging, name);
      const file = await onDisk(unlessMissing(statFile(path)));
      if (!file || file.mtime >= before) continue;
      await onDisk(rm(path, { force: true }));
      swept += 1;
    }
    return swept;
  }

  async check(): Promise<void> {
    const probe = join(this.staging, `check-${newUuid()}`);
    await onDisk(mkdir(this.staging, { recursive: true }));
    await onDisk(writeFile(probe, 'ok'));
    await onDisk(rm(probe));
  }

  private async write(path: string, body: AsyncIterable<Uint8Array>, expected: ExpectedBlob): Promise<StoredBlob> {
    const meter = new BodyMeter(expected);
    const file = await onDisk(openFile(path, 'wx'));
    try {
      for await (const chunk of body) {
        meter.take(chunk);
        await onDisk(file.writeFile(chunk));
      }
      return meter.finish();
    } finally {
      await onDisk(file.close());
    }
  }

  private pathOf(digest: string): string {
    return join(this.root, blobKey(digest));
  }
}

/** After it a crash leaves the whole file: its bytes are synced before it gets its name, the folders that hold the name after. */
async function moveDurably(from: string, to: string): Promise<void> {
  const folder = dirname(to);
  await sync(from);
  const firstMade = await mkdir(folder, { recursive: true });
  await rename(from, to);
  const parents = firstMade === undefined ? [] : [dirname(folder), dirname(dirname(folder))];
  for (const changed of [folder, ...parents]) await sync(changed);
}

async function sync(path: string): Promise<void> {
  const handle = await openFile(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function unlessMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function onDisk<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (cause) {
    throw new Failure('unavailable', 'the folder of the blobs cannot be used', { cause });
  }
}
