import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly account?: { readonly uid: number; readonly gid: number } | undefined;
  /** Receives everything the process prints, over all its lives. */
  readonly logFile: string;
  /** Undefined while it cannot serve yet. */
  readonly isReady?: () => Promise<true | undefined>;
}

const READY_MS = 60_000;

/** A server of the installation under test, which can be killed and started again. */
export class ManagedProcess {
  private child: ChildProcess | undefined;
  private wasKilled = false;

  constructor(readonly spec: ProcessSpec) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /**
   * After a crash a start that fails is tried again, as a service manager does: a Postgres whose last one was killed
   * refuses to start until the orphaned backends have left its shared memory.
   */
  async start(): Promise<void> {
    const deadline = Date.now() + READY_MS;
    while (!(await this.startOnce(deadline))) {
      if (!this.wasKilled || Date.now() > deadline) throw new Error(`${this.spec.name} did not start:\n${this.log().slice(-3_000)}`);
      await pause(500);
    }
  }

  private async startOnce(deadline: number): Promise<boolean> {
    const { spec } = this;
    const child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', LC_ALL: 'C', ...spec.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...spec.account,
    });
    appendFileSync(spec.logFile, '');
    const keep = (chunk: Buffer) => appendFileSync(spec.logFile, chunk);
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    this.child = child;
    return this.isReadyBefore(deadline, child);
  }

  /** SIGKILL to the process alone, as a crash would be: what it started stays. */
  async kill(): Promise<void> {
    this.wasKilled = true;
    await this.end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.end('SIGTERM', 30_000);
  }

  log(): string {
    return readFileSync(this.spec.logFile, 'utf8');
  }

  private async end(signal: NodeJS.Signals, limitMs = 10_000): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    await gone;
    clearTimeout(timer);
  }

  private async isReadyBefore(deadline: number, child: ChildProcess): Promise<boolean> {
    const { isReady } = this.spec;
    while (isReady && (await isReady().catch(() => undefined)) === undefined) {
      if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) return false;
      await pause(50);
    }
    return true;
  }
}
