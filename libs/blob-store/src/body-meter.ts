import { createHash } from 'node:crypto';
import { Failure } from '@triphammer/foundation';
import type { ExpectedBlob, StoredBlob } from './blob-store';

/** Hashes and counts a body as it passes, and holds it to what was expected. */
export class BodyMeter {
  private readonly hash = createHash('sha256');
  private size = 0;

  constructor(private readonly expected: ExpectedBlob) {}

  /** Throws as soon as the body is too long. */
  take(chunk: Uint8Array): void {
    this.size += chunk.byteLength;
    const announced = this.expected.size;
    if (announced !== undefined && this.size > announced) {
      throw new Failure('invalid-input', `the body is longer than the ${announced} bytes that were announced`);
    }
    this.hash.update(chunk);
  }

  /** To be called once, at the body's end. */
  finish(): StoredBlob {
    const { digest: announced, size } = this.expected;
    if (size !== undefined && this.size !== size) {
      throw new Failure('invalid-input', `the body has ${this.size} bytes, ${size} were announced`);
    }
    const digest = this.hash.digest('hex');
    if (announced !== undefined && digest !== announced) {
      throw new Failure('invalid-input', `the body's sha256 is ${digest}, ${announced} was announced`);
    }
    return { digest, size: this.size };
  }
}

/** Checks a body whose bytes are kept already. */
export async function readThrough(body: AsyncIterable<Uint8Array>, expected: ExpectedBlob): Promise<StoredBlob> {
  const meter = new BodyMeter(expected);
  for await (const chunk of body) meter.take(chunk);
  return meter.finish();
}
