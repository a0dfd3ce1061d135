import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { every, type Repetition } from '@triphammer/foundation';
import { type LogBlock, type LogSource, readProgress } from '@triphammer/logs';
import type { SharedCache, Unsubscribe } from '@triphammer/shared-cache';
import { findSuperseded } from './job-log';
import { logChannel } from './log-channel';
import { TaskTail } from './task-tail';

/** `idle`: nothing came for a while. `end`: nothing will. */
export type TailEvent = LogBlock | 'idle' | 'end';

/** With the look's own time it keeps the promise that a row is seen within a second. */
const LOOK_EVERY_MS = 500;
const IDLE_MS = 12_000;

interface Watched {
  readonly tail: TaskTail;
  /** Listens, and has looked once. */
  readonly opened: Promise<Unsubscribe>;
  /** A look on a message's account is under way; another message came meanwhile. */
  look: 'none' | 'looking' | 'again';
}

/**
 * The logs that somebody follows here. A message of the shared cache brings a look at that log; the net below it is one look at
 * all of them twice a second. Neither depends on how many readers a log has.
 */
export class LiveTails implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('LiveTails');
  private readonly watched = new Map<number, Watched>();
  private looking: Repetition | undefined;
  private closed = false;

  constructor(
    private readonly source: LogSource,
    private readonly cache: SharedCache,
  ) {}

  onApplicationBootstrap(): void {
    this.looking = every(LOOK_EVERY_MS, () => this.lookAtAll(), this.warn);
  }

  /** Ends every reader, so that the server can close; they come back to another process, with the id of their last row. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closed = true;
    for (const { tail } of this.watched.values()) tail.wake();
    await this.looking?.stop();
  }

  /** This process stops: nobody may follow here any more. */
  get isClosed(): boolean {
    return this.closed;
  }

  /**
   * The rows of a log from `from` on, each once and in order, as they come. A reader that is slow holds nothing up and fills no
   * buffer: it reads on from storage when it is ready. Ends without `end` when this process stops, or the signal says so.
   */
  async *follow(taskId: number, from: number, signal: AbortSignal): AsyncGenerator<TailEvent> {
    const { tail } = await this.join(taskId);
    let at = from;
    try {
      while (!this.closed && !signal.aborted) {
        const mark = tail.mark;
        if (tail.rows > at) {
          for (const block of await tail.read(at)) {
            yield block;
            at = block.start + block.rows;
          }
        } else if (tail.isEnded) {
          return yield 'end';
        } else if (!(await tail.changed(mark, IDLE_MS, signal))) {
          yield 'idle';
        }
      }
    } finally {
      this.leave(taskId);
    }
  }

  private async join(taskId: number): Promise<Watched> {
    const watched = this.watched.get(taskId) ?? this.watch(taskId);
    watched.tail.readers += 1;
    try {
      await watched.opened;
    } catch (error) {
      this.leave(taskId);
      throw error;
    }
    return watched;
  }

  private leave(taskId: number): void {
    const watched = this.watched.get(taskId);
    if (!watched) return;
    watched.tail.readers -= 1;
    if (watched.tail.readers > 0) return;
    this.watched.delete(taskId);
    watched.opened.then((unsubscribe) => unsubscribe()).catch(() => undefined);
  }

  private watch(taskId: number): Watched {
    const tail = new TaskTail(this.source, taskId);
    const lookAgain = () => this.lookSoon(watched);
    const open = async (): Promise<Unsubscribe> => {
      const unsubscribe = await this.cache.subscribe(logChannel(taskId), { onMessage: lookAgain, onGap: lookAgain });
      await this.look([tail]);
      return unsubscribe;
    };
    const watched: Watched = { tail, opened: open(), look: 'none' };
    this.watched.set(taskId, watched);
    return watched;
  }

  private lookSoon(watched: Watched): void {
    if (watched.look !== 'none') {
      watched.look = 'again';
      return;
    }
    watched.look = 'looking';
    this.look([watched.tail])
      .catch(this.warn)
      .finally(() => {
        const isDue = watched.look === 'again';
        watched.look = 'none';
        if (isDue) this.lookSoon(watched);
      });
  }

  private async lookAtAll(): Promise<void> {
    const tails = [...this.watched.values()].map((watched) => watched.tail);
    if (tails.length === 0) return;
    // First: who took the job over has to see what the task logged before.
    const superseded = await findSuperseded(
      this.source.sql,
      tails.map((tail) => tail.taskId),
    );
    await this.look(tails, superseded);
  }

  private async look(tails: readonly TaskTail[], superseded: ReadonlySet<number> = new Set()): Promise<void> {
    const progress = await readProgress(
      this.source.sql,
      tails.map((tail) => tail.taskId),
    );
    for (const tail of tails) {
      const { rows, isComplete } = progress.get(tail.taskId) ?? { rows: 0, isComplete: false };
      tail.learn({ rows, isComplete: isComplete || superseded.has(tail.taskId) });
    }
  }

  private readonly warn = (error: unknown): void => {
    this.logger.warn({ msg: 'a look at the logs that are followed failed', err: error });
  };
}
