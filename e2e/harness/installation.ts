import { randomBytes } from 'node:crypto';
import type { ManagedProcess } from './managed-process';

/** What a topology gives the scenarios: one address, its tokens, and its parts by name. */
export interface Installation {
  readonly topology: 'single' | 'scaled';
  /** Where runners, forges and people come in. */
  readonly url: string;
  readonly adminToken: string;
  readonly registrationToken: string;
  /** Every process of it, the servers beneath included. */
  readonly processes: ReadonlyMap<string, ManagedProcess>;
  /** An empty folder for what a scenario makes. */
  readonly workFolder: string;
  stop(): Promise<void>;
}

export function newSecret(): string {
  return randomBytes(20).toString('hex');
}

/** Settings that make the limits short enough to be seen. */
export const SHORT_LIMITS = { CLAIM_CONFIRM_TIMEOUT: '8s', TASK_SILENCE_TIMEOUT: '60s', LOG_LEVEL: 'info' } as const;
