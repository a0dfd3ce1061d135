import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Failure, newUuid } from '@triphammer/foundation';
import { Client } from 'minio';
import { blobKey, noSuchBlob } from './blob-key';
import type { BlobStore, ExpectedBlob, OpenBlob, SignedUrlOptions, StoredBlob } from './blob-store';
import { BodyMeter, readThrough } from './body-meter';
import { type ByteRange, locate } from './byte-range';
import { attachment } from './content-disposition';
import { errorCode } from './error-code';
import { MultipartUpload } from './s3-multipart';
import { impatientTransport } from './s3-transport';

/** S3 takes 10,000 parts, so this bounds a body to 78 GiB. One that is smaller than a part is sent in one request. */
const PART_BYTES = 8 * 1024 * 1024;
const COPY_BYTES = 64 * 1024 * 1024;
const PATIENCE_MS = 60_000;
const URL_SECONDS = 20 * 60;
const STAGING = 'staging/';
const BUCKET_IS_THERE: ReadonlySet<unknown> = new Set(['BucketAlreadyOwnedByYou', 'BucketAlreadyExists']);
/** The second is what the client makes of a 404 to HEAD, which has no body. */
const MISSING: ReadonlySet<unknown> = new Set(['NoSuchKey', 'NotFound']);

export interface S3Options {
  /** Scheme, host and port. */
  readonly url: string;
  readonly region: string;
  /** It belongs to this installation alone. */
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/**
 * Blobs as objects `aa/bb/<digest>`. A large body whose digest nobody announced goes to `staging/` first and is copied by the server,
 * because S3 cannot rename; tell the digest where it is known.
 */
export class S3BlobStore implements BlobStore {
  private readonly client: Client;
  private readonly bucket: string;

  constructor({ url, region, bucket, accessKey, secretKey }: S3Options) {
    const { protocol, hostname, port } = new URL(url);
    const useSSL = protocol === 'https:';
    const transport = impatientTransport(useSSL ? 'https:' : 'http:', PATIENCE_MS);
    this.client = new Client({ endPoint: hostname, port: Number(port), useSSL, region, accessKey, secretKey, transport });
    this.bucket = bucket;
  }

  /** Makes the bucket when it is missing; any number of processes may ask at once. */
  async ensureBucket(): Promise<void> {
    if (await onS3(this.client.bucketExists(this.bucket))) return;
    try {
      await this.client.makeBucket(this.bucket);
    } catch (error) {
      if (!BUCKET_IS_THERE.has(errorCode(error))) throw new Failure('unavailable', `the bucket ${this.bucket} cannot be made`, { cause: error });
    }
  }

  async put(body: AsyncIterable<Uint8Array>, expected: ExpectedBlob = {}): Promise<StoredBlob> {
    const { digest } = expected;
    if (digest !== undefined && (await this.stat(digest))) return readThrough(body, expected);
    const meter = new BodyMeter(expected);
    let small: Buffer = Buffer.alloc(0);
    let upload: MultipartUpload | undefined;
    try {
      for await (const part of inParts(body, meter)) {
        if (!upload && part.length < PART_BYTES) {
          small = part;
        } else {
          upload ??= await this.begin(digest === undefined ? STAGING + newUuid() : blobKey(digest));
          await onS3(upload.send(part));
        }
      }
      const blob = meter.finish();
      await (upload ? this.publish(upload, blob) : this.putSmall(blob, small));
      return blob;
    } catch (error) {
      await upload?.abort();
      throw error;
    }
  }

  async open(digest: string, range?: ByteRange): Promise<OpenBlob> {
    if (range === undefined) {
      const stream = await this.read(digest, 0, 0);
      const size = contentLength(stream);
      return { size, start: 0, length: size, stream };
    }
    const { size } = (await this.stat(digest)) ?? noSuchBlob(digest);
    const { start, length } = locate(range, size);
    return { size, start, length, stream: await this.read(digest, start, length) };
  }

  async stat(digest: string): Promise<StoredBlob | undefined> {
    const found = await onS3(unlessMissing(this.client.statObject(this.bucket, blobKey(digest))));
    return found && { digest, size: found.size };
  }

  async remove(digest: string): Promise<void> {
    await onS3(this.client.removeObject(this.bucket, blobKey(digest)));
  }

  async signedUrl(digest: string, options: SignedUrlOptions = {}): Promise<string> {
    const { expiresSeconds = URL_SECONDS, filename, contentType } = options;
    return this.client.presignedGetObject(this.bucket, blobKey(digest), expiresSeconds, {
      ...(filename !== undefined && { 'response-content-disposition': attachment(filename) }),
      ...(contentType !== undefined && { 'response-content-type': contentType }),
    });
  }

  async sweepAbandoned(before: Date): Promise<number> {
    return (await onS3(this.sweepUploads(before))) + (await onS3(this.sweepStaging(before)));
  }

  async check(): Promise<void> {
    if (!(await onS3(this.client.bucketExists(this.bucket)))) throw new Failure('unavailable', `the bucket ${this.bucket} does not exist`);
  }

  /** The client takes a length of 0 for all that follows. */
  private async read(digest: string, start: number, length: number): Promise<Readable> {
    return (await onS3(unlessMissing(this.client.getPartialObject(this.bucket, blobKey(digest), start, length)))) ?? noSuchBlob(digest);
  }

  private begin(key: string): Promise<MultipartUpload> {
    return onS3(MultipartUpload.begin(this.client, this.bucket, key));
  }

  private async putSmall(blob: StoredBlob, bytes: Buffer): Promise<void> {
    if (await this.stat(blob.digest)) return;
    await onS3(this.client.putObject(this.bucket, blobKey(blob.digest), bytes, bytes.length));
  }

  /** Makes an upload that proved right the blob, unless there is one already. */
  private async publish(upload: MultipartUpload, blob: StoredBlob): Promise<void> {
    if (await this.stat(blob.digest)) return upload.abort();
    await onS3(upload.complete());
    if (upload.key === blobKey(blob.digest)) return;
    try {
      await this.copy(upload.key, blob);
    } finally {
      // What a failure leaves is for the sweep.
      await this.client.removeObject(this.bucket, upload.key).catch(() => undefined);
    }
  }

  /** In parts, because S3 copies no more than 5 GiB at once. */
  private async copy(from: string, blob: StoredBlob): Promise<void> {
    const copy = await this.begin(blobKey(blob.digest));
    try {
      for (let start = 0; start < blob.size; start += COPY_BYTES) {
        await onS3(copy.copy(from, start, Math.min(COPY_BYTES, blob.size - start)));
      }
      await onS3(copy.complete());
    } catch (error) {
      await copy.abort();
      throw error;
    }
  }

  private async sweepUploads(before: Date): Promise<number> {
    let swept = 0;
    let [key, id] = ['', ''];
    for (let more = true; more; ) {
      const page = await this.client.listIncompleteUploadsQuery(this.bucket, '', key, id, '');
      for (const upload of page.uploads) {
        if (upload.initiated >= before) continue;
        await this.client.abortMultipartUpload(this.bucket, upload.key, upload.uploadId);
        swept += 1;
      }
      [more, key, id] = [page.isTruncated, page.nextKeyMarker, page.nextUploadIdMarker];
    }
    return swept;
  }

  private async sweepStaging(before: Date): Promise<number> {
    let swept = 0;
    const objects: AsyncIterable<{ readonly name?: string; readonly lastModified?: Date }> = this.client.listObjectsV2(this.bucket, STAGING, true);
    for await (const { name, lastModified } of objects) {
      if (name === undefined || lastModified === undefined || lastModified >= before) continue;
      await this.client.removeObject(this.bucket, name);
      swept += 1;
    }
    return swept;
  }
}

/** All parts but the last have PART_BYTES. */
async function* inParts(body: AsyncIterable<Uint8Array>, meter: BodyMeter): AsyncGenerator<Buffer> {
  let collected: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    meter.take(chunk);
    let rest = chunk;
    while (size + rest.byteLength >= PART_BYTES) {
      const room = PART_BYTES - size;
      yield Buffer.concat([...collected, rest.subarray(0, room)], PART_BYTES);
      collected = [];
      size = 0;
      rest = rest.subarray(room);
    }
    collected.push(rest);
    size += rest.byteLength;
  }
  if (size > 0) yield Buffer.concat(collected, size);
}

/** The client types its answers as plain streams; they are Node's HTTP answers. */
function contentLength(stream: Readable): number {
  return Number((stream as IncomingMessage).headers['content-length']);
}

async function unlessMissing<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (MISSING.has(errorCode(error))) return undefined;
    throw error;
  }
}

async function onS3<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (cause) {
    throw new Failure('unavailable', 'the bucket of the blobs cannot be used', { cause });
  }
}
