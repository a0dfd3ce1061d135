import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sha256Hex } from '@triphammer/foundation';
import { describeBlobStore } from './blob-store.contract';
import { DiskBlobStore } from './disk';
import { inChunks } from './sample-bodies';

describeBlobStore('the blob store on disk', async () => {
  const root = await mkdtemp(join(tmpdir(), 'triphammer-blobs-'));
  return {
    store: new DiskBlobStore(root),
    names: () => filesBelow(root),
    plant: async (name, text) => {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), text);
    },
    abandon: async () => {
      await writeFile(join(root, 'staging', randomUUID()), 'the first half');
      return 1;
    },
    close: () => rm(root, { recursive: true }),
  };
});

describe('the blob store on disk', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'triphammer-blobs-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('makes its folder when it is first needed', async () => {
    const store = new DiskBlobStore(join(folder, 'not', 'yet'));

    expect(await store.stat(sha256Hex('a'))).toBeUndefined();
    expect(await store.sweepAbandoned(new Date())).toBe(0);
    await store.put(inChunks(Buffer.from('a')));

    expect(await store.stat(sha256Hex('a'))).toEqual({ digest: sha256Hex('a'), size: 1 });
  });

  it('has no URLs', async () => {
    expect(await new DiskBlobStore(folder).signedUrl(sha256Hex('a'))).toBeUndefined();
  });

  it('is unavailable where it cannot write', async () => {
    const file = join(folder, 'file');
    await writeFile(file, 'in the way');
    const store = new DiskBlobStore(file);
    const unavailable = { code: 'unavailable', cause: expect.objectContaining({ code: 'ENOTDIR' }) };

    await expect(store.check()).rejects.toMatchObject(unavailable);
    await expect(store.put(inChunks(Buffer.from('a')))).rejects.toMatchObject(unavailable);
    await expect(store.open(sha256Hex('a'))).rejects.toMatchObject(unavailable);
    await expect(store.stat(sha256Hex('a'))).rejects.toMatchObject(unavailable);
  });

  it('leaves nothing when the blob cannot be put in its place', async () => {
    const digest = sha256Hex('a');
    await mkdir(join(folder, digest.slice(0, 2)), { recursive: true });
    await writeFile(join(folder, digest.slice(0, 2), digest.slice(2, 4)), 'in the way of a folder');

    await expect(new DiskBlobStore(folder).put(inChunks(Buffer.from('a')))).rejects.toMatchObject({ code: 'unavailable' });

    expect(await filesBelow(join(folder, 'staging'))).toEqual([]);
  });
});

async function filesBelow(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}
