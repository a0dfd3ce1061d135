import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { type Clock, Failure } from '@triphammer/foundation';
import { publish } from '@triphammer/events';
import type { Sql, Tx } from '@triphammer/models';
import { openLogs, type StoredChunk, storeAppends } from './log-statements';
import { type AppendPlan, EMPTY_TAIL, type LogBatch, type LogLimits, type LogTail, planAppend } from './plan-append';

export interface LogWriterOptions {
  readonly sql: Sql;
  readonly transact: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  readonly clock: Clock;
  readonly limits: LogLimits;
}

export interface Appended {
  /** Rows that are stored for good: absolute, exclusive, never above what was sent. */
  readonly ackIndex: number;
  /** What the batch added to the log, in bytes as stored. */
  readonly bytes: number;
  readonly isComplete: boolean;
}

interface Pending {
  readonly taskId: number;
  readonly batch: LogBatch;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

interface Move {
  readonly pending: Pending;
  readonly tail: LogTail;
  readonly next: LogTail;
  readonly plan: AppendPlan;
}

/** Measured with 64 writers: a third group in flight gains nothing, because the database is busy with two. */
const MAX_IN_FLIGHT = 2;
const MAX_GROUP_TASKS = 64;
const MAX_GROUP_ROWS = 20_000;
/** A try is lost only to another replica that appended to the same task meanwhile. */
const MAX_TRIES = 20;
const MAX_TAILS = 20_000;
/** Below this size the way to another thread costs more than the compression. */
const SYNC_GZIP_CHARACTERS = 32 * 1024;
const GZIP = { level: 1 };
const gzipAsync = promisify<string, typeof GZIP, Buffer>(gzip);

/**
 * Appends to the logs of many tasks. What comes while two groups are on their way to the database waits and becomes the next
 * group, one statement whatever the number of tasks. Correct beside the writers of other replicas, also on the same task.
 */
export class LogWriter {
  /** By task, first come first served: a task has one batch in a group, so its rows stay in order. */
  private readonly queues = new Map<number, Pending[]>();
  private readonly busy = new Set<number>();
  private readonly inFlight = new Set<Promise<void>>();
  /** As this process last saw them; another replica may have moved them on. */
  private readonly tails = new Map<number, LogTail>();

  constructor(private readonly options: LogWriterOptions) {}

  /**
   * Resolves when the batch is committed. What is there already, by index, is not stored again; behind a gap nothing is. Publishes
   * `log.completed` in the transaction that stores the end. When it rejects the batch may or may not be stored: send it again.
   */
  append(taskId: number, batch: LogBatch): Promise<Appended> {
    return new Promise((resolve, reject) => {
      const queue = this.queues.get(taskId) ?? [];
      queue.push({ taskId, batch, resolve, reject });
      this.queues.set(taskId, queue);
      this.pump();
    });
  }

  /** Resolves when nothing is waiting or on its way. */
  async drain(): Promise<void> {
    while (this.inFlight.size > 0) await Promise.all(this.inFlight);
  }

  private pump(): void {
    while (this.inFlight.size < MAX_IN_FLIGHT) {
      const group = this.takeGroup();
      if (group.length === 0) return;
      const write = this.write(group).finally(() => {
        this.inFlight.delete(write);
        this.pump();
      });
      this.inFlight.add(write);
    }
  }

  private takeGroup(): Pending[] {
    const group: Pending[] = [];
    let rows = 0;
    for (const [taskId, queue] of this.queues) {
      if (this.busy.has(taskId)) continue;
      const pending = queue.shift() as Pending;
      if (queue.length === 0) this.queues.delete(taskId);
      this.busy.add(taskId);
      group.push(pending);
      rows += pending.batch.rows.length;
      if (group.length >= MAX_GROUP_TASKS || rows >= MAX_GROUP_ROWS) break;
    }
    return group;
  }

  private async write(group: readonly Pending[]): Promise<void> {
    try {
      let open = group;
      for (let attempt = 0; open.length > 0; attempt += 1) {
        if (attempt === MAX_TRIES) throw new Failure('unavailable', 'The log is being written from too many sides; send the rows again.');
        open = await this.attempt(open);
      }
    } catch (error) {
      for (const pending of group) {
        this.tails.delete(pending.taskId);
        pending.reject(error);
      }
    } finally {
      for (const pending of group) this.busy.delete(pending.taskId);
    }
  }

  /** Settles what it can; returns what met a log that was not where this process thought. */
  private async attempt(group: readonly Pending[]): Promise<Pending[]> {
    const read = await this.readTails(group);
    const retry: Pending[] = [];
    const moves: Move[] = [];
    for (const pending of group) {
      const tail = read.get(pending.taskId) ?? this.tails.get(pending.taskId) ?? EMPTY_TAIL;
      const plan = planAppend(tail, pending.batch, this.options.limits);
      if (plan.next) {
        moves.push({ pending, tail, next: plan.next, plan });
      } else if (read.has(pending.taskId) || isWhole(pending.batch, plan)) {
        this.remember(pending.taskId, tail);
        pending.resolve({ ackIndex: plan.ackIndex, bytes: 0, isComplete: tail.isComplete });
      } else {
        retry.push(pending);
      }
    }
    const moved = await this.store(moves);
    for (const move of moves) {
      if (moved.has(move.pending.taskId)) this.settle(move);
      else retry.push(move.pending);
    }
    for (const pending of retry) this.tails.delete(pending.taskId);
    return retry;
  }

  private settle({ pending, tail, next, plan }: Move): void {
    this.remember(pending.taskId, next);
    pending.resolve({ ackIndex: plan.ackIndex, bytes: next.bytes - tail.bytes, isComplete: next.isComplete });
  }

  private remember(taskId: number, tail: LogTail): void {
    this.tails.delete(taskId);
    if (this.tails.size >= MAX_TAILS) this.tails.clear();
    if (!tail.isComplete) this.tails.set(taskId, tail);
  }

  /** Of the tasks that are not in memory: how far their logs are now, and so what the runner can be told. */
  private async readTails(group: readonly Pending[]): Promise<ReadonlyMap<number, LogTail>> {
    const unknown = group.map((pending) => pending.taskId).filter((taskId) => !this.tails.has(taskId));
    if (unknown.length === 0) return new Map();
    return openLogs(this.options.sql, unknown);
  }

  private async store(moves: readonly Move[]): Promise<ReadonlySet<number>> {
    if (moves.length === 0) return new Set();
    const chunks = await compress(moves);
    const tails = moves.map(({ pending, tail, next }) => ({ taskId: pending.taskId, seenRows: tail.rows, next }));
    return this.options.transact(async (tx) => {
      const moved = await storeAppends(tx.sql, tails, chunks, this.options.clock.now());
      const completed = tails.filter(({ taskId, next }) => next.isComplete && moved.has(taskId));
      await publish(
        tx,
        'log.completed',
        completed.map(({ taskId }) => ({ taskId })),
      );
      return moved;
    });
  }
}

/** The runner need not be told less than it sent, so how old our knowledge is does not matter. */
function isWhole(batch: LogBatch, plan: AppendPlan): boolean {
  return plan.ackIndex === batch.index + batch.rows.length && !batch.noMore;
}

async function compress(moves: readonly Move[]): Promise<StoredChunk[]> {
  const stored: StoredChunk[] = [];
  for (const { pending, plan } of moves) {
    for (const { startIndex, rows, text } of plan.chunks) {
      const data = text.length < SYNC_GZIP_CHARACTERS ? gzipSync(text, GZIP) : await gzipAsync(text, GZIP);
      stored.push({ taskId: pending.taskId, startIndex, rows, data });
    }
  }
  return stored;
}
