import type { Client } from 'minio';

/**
 * One multipart upload: nothing is to be seen under the key before it completes. A part is sent while its successor is collected,
 * so that two parts are in memory at most.
 */
export class MultipartUpload {
  private readonly parts: { part: number; etag: string }[] = [];
  private sending: Promise<void> = Promise.resolve();
  private count = 0;

  private constructor(
    private readonly client: Client,
    private readonly bucket: string,
    readonly key: string,
    private readonly id: string,
  ) {}

  static async begin(client: Client, bucket: string, key: string): Promise<MultipartUpload> {
    return new MultipartUpload(client, bucket, key, await client.initiateNewMultipartUpload(bucket, key, {}));
  }

  /** Resolves when the part before this one has arrived, whose failure it throws. */
  async send(bytes: Buffer): Promise<void> {
    await this.next({}, bytes);
  }

  /** The part is `length` bytes of another object in the same bucket, from `start`; the server copies them. */
  async copy(source: string, start: number, length: number): Promise<void> {
    await this.next({ 'x-amz-copy-source': `/${this.bucket}/${source}`, 'x-amz-copy-source-range': `bytes=${start}-${start + length - 1}` }, '');
  }

  async complete(): Promise<void> {
    await this.sending;
    await this.client.completeMultipartUpload(this.bucket, this.key, this.id, this.parts);
  }

  /** Drops all parts. What a failure leaves is for the sweep. */
  async abort(): Promise<void> {
    await this.sending.catch(() => undefined);
    await this.client.abortMultipartUpload(this.bucket, this.key, this.id).catch(() => undefined);
  }

  private async next(headers: Record<string, string>, payload: Buffer | string): Promise<void> {
    await this.sending;
    this.count += 1;
    this.sending = this.upload(this.count, headers, payload);
    this.sending.catch(() => undefined);
  }

  private async upload(part: number, headers: Record<string, string>, payload: Buffer | string): Promise<void> {
    const place = { bucketName: this.bucket, objectName: this.key, uploadID: this.id, partNumber: part, headers };
    const { etag } = await this.client.uploadPart(place, payload);
    this.parts.push({ part, etag });
  }
}
