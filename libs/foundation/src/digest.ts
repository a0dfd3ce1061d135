import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export function sha256(bytes: string | Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Lower-case hex. */
export function sha256Hex(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Lower-case hex. */
export function hmacSha256Hex(secret: string, bytes: string | Uint8Array): string {
  return createHmac('sha256', secret).update(bytes).digest('hex');
}

/** Compares two secrets or digests without telling, by its time, how much of them agrees. Only the length may leak. */
export function equalInConstantTime(a: string | Uint8Array, b: string | Uint8Array): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}
