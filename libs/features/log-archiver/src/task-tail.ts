import { Failure } from '@triphammer/foundation';
import { type LogBlock, type LogProgress, type LogSource, readRows } from '@triphammer/logs';

/** What readers that have kept up read together. */
const READ_BYTES = 256 * 1024;
const RECENT_READS = 4;

/** One task's log as this process knows it, shared by all who follow it here. */
export class TaskTail {
  rows = 0;
  /** Nothing will be added for a reader to see. */
  isEnded = false;
  readers = 0;
  private version = 0;
  private readonly waiters = new Set<() => void>();
  private readonly recent = new Map<number, Promise<readonly LogBlock[]>>();

  constructor(
    private readonly source: LogSource,
    readonly taskId: number,
  ) {}

  /** Changes with everything that a reader may be waiting for. Take it before looking, to wait for what comes after. */
  get mark(): number {
    return this.version;
  }

  /** What a look at the database found; one that was begun earlier may come later. */
  learn({ rows, isComplete }: LogProgress): void {
    if (rows <= this.rows && (this.isEnded || !isComplete)) return;
    this.rows = Math.max(this.rows, rows);
    this.isEnded ||= isComplete;
    this.wake();
  }

  wake(): void {
    this.version += 1;
    for (const wake of this.waiters) wake();
  }

  /** Resolves with true once something has changed since that mark, with false after `ms` or when the signal says so. */
  changed(mark: number, ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.version !== mark || signal.aborted) return Promise.resolve(this.version !== mark);
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.waiters.delete(done);
        resolve(this.version !== mark);
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
      this.waiters.add(done);
    });
  }

  /** Rows from `at` on, as many as are read in one go; `at` must be below `rows`. */
  read(at: number): Promise<readonly LogBlock[]> {
    const known = this.recent.get(at);
    if (known) return known;
    const reading = this.readFrom(at);
    reading.catch(() => this.recent.delete(at));
    this.recent.set(at, reading);
    const [oldest] = this.recent.keys();
    if (this.recent.size > RECENT_READS && oldest !== undefined) this.recent.delete(oldest);
    return reading;
  }

  private async readFrom(at: number): Promise<readonly LogBlock[]> {
    const blocks: LogBlock[] = [];
    let bytes = 0;
    for await (const block of readRows(this.source, this.taskId, { from: at, to: this.rows })) {
      blocks.push(block);
      bytes += block.text.length;
      if (bytes >= READ_BYTES) break;
    }
    if (blocks.length === 0) throw new Failure('corrupt', `The log of task ${this.taskId} lacks row ${at}.`);
    return blocks;
  }
}
