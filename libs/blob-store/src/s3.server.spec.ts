import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { raise, sha256Hex } from '@triphammer/foundation';
import { Client } from 'minio';
import { describeBlobStore } from './blob-store.contract';
import { S3BlobStore, type S3Options } from './s3';
import { contentOf, inChunks, keyOf } from './sample-bodies';

const MIB = 1024 * 1024;
const url = process.env['TEST_S3_URL'] ?? raise('set TEST_S3_URL to an S3 server');
const accessKey = process.env['TEST_S3_ACCESS_KEY'] ?? raise('set TEST_S3_ACCESS_KEY');
const secretKey = process.env['TEST_S3_SECRET_KEY'] ?? raise('set TEST_S3_SECRET_KEY');
const { hostname, port, protocol } = new URL(url);
const client = new Client({ endPoint: hostname, port: Number(port), useSSL: protocol === 'https:', region: 'us-east-1', accessKey, secretKey });

describeBlobStore('the blob store on S3', async () => {
  const options = await newBucket();
  return {
    store: new S3BlobStore(options),
    names: () => namesIn(options.bucket),
    plant: async (name, text) => void (await client.putObject(options.bucket, name, text)),
    abandon: async () => {
      await client.putObject(options.bucket, 'staging/not-copied', 'a body');
      await client.initiateNewMultipartUpload(options.bucket, 'staging/not-completed', {});
      await client.initiateNewMultipartUpload(options.bucket, keyOf(sha256Hex('announced')), {});
      return 3;
    },
    close: async () => undefined,
  };
});

describe('the bucket', () => {
  it('is made once, by however many processes that start together', async () => {
    const bucket = `made-${randomUUID()}`;
    const stores = Array.from({ length: 4 }, () => new S3BlobStore({ url, region: 'us-east-1', bucket, accessKey, secretKey }));

    await Promise.all(stores.map((store) => store.ensureBucket()));

    await expect(stores[0]?.check()).resolves.toBeUndefined();
  });
});

describe('the blob store on S3', () => {
  let options: S3Options;
  let store: S3BlobStore;

  beforeEach(async () => {
    options = await newBucket();
    store = new S3BlobStore(options);
  });

  it('has the server copy a body in several parts', async () => {
    const bytes = randomBytes(70 * MIB);
    const blob = { digest: sha256Hex(bytes), size: bytes.length };

    expect(await store.put(inChunks(bytes))).toEqual(blob);

    expect(await contentOf(store, blob.digest)).toEqual(blob);
    expect(await namesIn(options.bucket)).toEqual([keyOf(blob.digest)]);
  }, 60_000);

  it('signs a URL that anyone can GET, under a name and a type', async () => {
    const { digest } = await store.put(inChunks(Buffer.from('hello')));

    const signed = await store.signedUrl(digest, { filename: 'Grüße & mehr.txt', contentType: 'text/x-log; charset=utf-8' });
    const answer = await fetch(signed);

    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('hello');
    expect(answer.headers.get('content-type')).toBe('text/x-log; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="Gr__e & mehr.txt"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%26%20mehr.txt`);
  });

  it.each([
    ['20 minutes', {}, '1200'],
    ['the time that was asked for', { expiresSeconds: 60 }, '60'],
  ])('signs for %s', async (_, asked, seconds) => {
    const signed = new URL(await store.signedUrl(sha256Hex('a'), asked));

    expect(signed.searchParams.get('X-Amz-Expires')).toBe(seconds);
  });

  it('signs for GET and for this blob alone', async () => {
    const { digest } = await store.put(inChunks(Buffer.from('mine')));
    const other = await store.put(inChunks(Buffer.from('other')));
    const signed = await store.signedUrl(digest);

    expect((await fetch(signed, { method: 'HEAD' })).status).toBe(403);
    expect((await fetch(signed.replace(keyOf(digest), keyOf(other.digest)))).status).toBe(403);
    expect((await fetch(signed.split('?')[0] ?? '')).status).toBe(403);
  });

  it('is unavailable without its bucket', async () => {
    const missing = new S3BlobStore({ ...options, bucket: 'no-such-bucket' });

    await expect(missing.check()).rejects.toMatchObject({ code: 'unavailable', message: 'the bucket no-such-bucket does not exist' });
    await expect(missing.put(inChunks(Buffer.from('a')))).rejects.toMatchObject({ code: 'unavailable' });
  });

  it.each([
    ['nobody listens', { url: 'http://127.0.0.1:1' }],
    ['the secret is wrong', { secretKey: 'wrong' }],
  ])('is unavailable when %s', async (_, wrong) => {
    const away = new S3BlobStore({ ...options, ...wrong });
    const digest = sha256Hex('a');

    for (const attempt of [
      () => away.check(),
      () => away.put(inChunks(Buffer.from('a'))),
      () => away.put(inChunks(randomBytes(9 * MIB))),
      () => away.open(digest),
      () => away.stat(digest),
      () => away.remove(digest),
      () => away.sweepAbandoned(new Date()),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'unavailable', cause: expect.anything() });
    }
  });
});

async function newBucket(): Promise<S3Options> {
  const bucket = `blobs-${randomUUID()}`;
  await client.makeBucket(bucket, 'us-east-1');
  return { url, region: 'us-east-1', bucket, accessKey, secretKey };
}

async function namesIn(bucket: string): Promise<string[]> {
  const names: string[] = [];
  const objects: AsyncIterable<{ readonly name?: string }> = client.listObjectsV2(bucket, '', true);
  for await (const { name } of objects) names.push(name ?? raise('a folder in a recursive list'));
  const { uploads } = await client.listIncompleteUploadsQuery(bucket, '', '', '', '');
  return [...names, ...uploads.map((upload) => `${upload.key} (upload)`)].sort();
}
