import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** All that the CLI touches besides the network. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isRoot: boolean;
  out(text: string): void;
  err(text: string): void;
  readInput(): Promise<string>;
  readFile(path: string): Promise<string>;
  now(): Date;
  /** Ends early, without a complaint, when `signal` aborts. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
}

export const processTerminal: Terminal = {
  environment: process.env,
  isRoot: process.getuid?.() === 0,
  out: (written) => void process.stdout.write(written),
  err: (written) => void process.stderr.write(written),
  readInput: () => text(process.stdin),
  readFile: (path) => readFile(path, 'utf8'),
  now: () => new Date(),
  pause: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}).catch(() => undefined),
};
