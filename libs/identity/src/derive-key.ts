import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/** A 256-bit key of its own for each purpose, so that what one of them signs or seals says nothing about another. */
export function deriveKey(secretKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', `triphammer ${purpose}`, KEY_BYTES));
}
