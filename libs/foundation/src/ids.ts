import { randomBytes, randomUUID } from 'node:crypto';

/** 160 random bits as 40 hex characters: the form that forges and runners give their tokens. */
export function newToken(): string {
  return randomBytes(20).toString('hex');
}

export function newUuid(): string {
  return randomUUID();
}
