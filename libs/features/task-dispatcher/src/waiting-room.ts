import type { ClaimedJob, Claimer, RunnerIdentity, RunnerScope } from '@triphammer/runs';
import { type QueueBoard, scopeName } from './queue-board';

/** Claims up to one job for each claimer, in one transaction. */
export type Claim = (labelKey: number, scope: RunnerScope, claimers: readonly Claimer[]) => Promise<readonly ClaimedJob[]>;

export interface Poll {
  readonly runner: RunnerIdentity;
  readonly requestKey: string | null;
  readonly holdMs: number;
  /** Aborts when the client goes away: it gets nothing then. */
  readonly signal: AbortSignal;
}

interface Waiter {
  readonly poll: Poll;
  readonly group: Group;
  /** Order of arrival. */
  readonly ticket: number;
  readonly answer: (job: ClaimedJob | undefined) => void;
  /** A claim for it is under way, and that claim answers it. */
  isClaiming: boolean;
  /** Its time is up, it went away, or the process drains: no further claim for it. */
  isOver: boolean;
}

/** Waiters of equal scope and labels: for the queues they are all the same. */
interface Group {
  readonly scope: RunnerScope;
  readonly labels: readonly string[];
  readonly waiters: Set<Waiter>;
}

const MAX_BATCH = 64;

/**
 * Runners that wait for a job. A poll that nothing fits is held until a job is announced; then as many of them get one
 * as there are jobs, the longest-waiting first, and the rest sleep on. For each queue (label set and scope) one claim is
 * under way at a time, for up to 64 waiters together.
 */
export class WaitingRoom {
  private readonly groups = new Map<string, Group>();
  private readonly claiming = new Set<string>();
  private tickets = 0;
  private isClosed = false;

  constructor(
    private readonly board: QueueBoard,
    private readonly claim: Claim,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** How many polls are held. */
  get size(): number {
    return [...this.groups.values()].reduce((sum, group) => sum + group.waiters.size, 0);
  }

  /** The job for this poll; undefined when the hold ended without one, the client went away, or the process drains. */
  wait(poll: Poll): Promise<ClaimedJob | undefined> {
    return new Promise((resolve) => {
      const group = this.groupOf(poll.runner);
      const over = () => this.giveUp(waiter);
      const timer = setTimeout(over, Math.max(0, poll.holdMs));
      const answer = (job: ClaimedJob | undefined) => {
        clearTimeout(timer);
        poll.signal.removeEventListener('abort', over);
        group.waiters.delete(waiter);
        resolve(job);
      };
      const waiter: Waiter = { poll, group, ticket: this.tickets++, answer, isClaiming: false, isOver: false };
      group.waiters.add(waiter);
      poll.signal.addEventListener('abort', over);
      if (this.isClosed || poll.signal.aborted) return over();
      this.serve(this.board.claimable(group.labels, group.scope));
    });
  }

  /** Jobs of these label sets may be claimable: tries them for whoever waits. */
  serve(labelKeys: readonly number[]): void {
    for (const key of labelKeys) {
      const scopes = new Map(this.groupsFor(key).map((group) => [scopeName(group.scope), group.scope]));
      for (const scope of scopes.values()) this.serveQueue(key, scope).catch(this.onError);
    }
  }

  /** Answers every held poll with nothing, and holds none from here on. */
  close(): void {
    this.isClosed = true;
    for (const group of this.groups.values()) for (const waiter of group.waiters) this.giveUp(waiter);
  }

  private giveUp(waiter: Waiter): void {
    waiter.isOver = true;
    if (!waiter.isClaiming) waiter.answer(undefined);
  }

  private groupOf(runner: RunnerIdentity): Group {
    const { ownerId, repositoryId, labels } = runner;
    const name = [scopeName(runner), ...labels].join('\0');
    const known = this.groups.get(name);
    if (known) return known;
    const group: Group = { scope: { ownerId, repositoryId }, labels, waiters: new Set() };
    this.groups.set(name, group);
    return group;
  }

  private groupsFor(labelKey: number): readonly Group[] {
    return [...this.groups.values()].filter((group) => group.waiters.size > 0 && this.board.claimable(group.labels, group.scope).includes(labelKey));
  }

  private async serveQueue(labelKey: number, scope: RunnerScope): Promise<void> {
    const queue = `${labelKey} ${scopeName(scope)}`;
    if (this.claiming.has(queue)) return;
    this.claiming.add(queue);
    try {
      for (let batch = this.nextBatch(labelKey, scope); batch.length > 0; batch = this.nextBatch(labelKey, scope)) {
        await this.claimFor(batch, labelKey, scope);
      }
    } finally {
      this.claiming.delete(queue);
    }
  }

  private nextBatch(labelKey: number, scope: RunnerScope): readonly Waiter[] {
    const name = scopeName(scope);
    const heads = this.groupsFor(labelKey)
      .filter((group) => scopeName(group.scope) === name)
      .flatMap((group) => firstFree(group));
    return heads.sort((a, b) => a.ticket - b.ticket).slice(0, MAX_BATCH);
  }

  private async claimFor(batch: readonly Waiter[], labelKey: number, scope: RunnerScope): Promise<void> {
    for (const waiter of batch) waiter.isClaiming = true;
    let claimed: readonly ClaimedJob[] = [];
    const announced = this.board.announcementOf(labelKey);
    try {
      const claimers = batch.map(({ poll }) => ({ runnerId: poll.runner.id, requestKey: poll.requestKey }));
      claimed = await this.claim(labelKey, scope, claimers);
    } finally {
      // A claim that failed counts as one that found nothing: the next reload tries again, not this loop.
      if (claimed.length < batch.length) this.board.exhaust(labelKey, scope, announced);
      this.handOut(batch, claimed);
    }
  }

  /** A runner with several slots holds several polls, so each job goes to one poll of its runner. */
  private handOut(batch: readonly Waiter[], claimed: readonly ClaimedJob[]): void {
    const open = new Set(batch);
    for (const job of claimed) {
      const waiter = [...open].find((each) => each.poll.runner.id === job.runnerId);
      if (!waiter) throw new Error(`task ${job.taskId} was claimed for a runner that does not wait`);
      open.delete(waiter);
      waiter.answer(job);
    }
    for (const waiter of open) {
      waiter.isClaiming = false;
      if (waiter.isOver) waiter.answer(undefined);
    }
  }
}

function firstFree(group: Group): readonly Waiter[] {
  const free: Waiter[] = [];
  for (const waiter of group.waiters) {
    if (free.length === MAX_BATCH) break;
    if (!waiter.isClaiming && !waiter.isOver) free.push(waiter);
  }
  return free;
}
