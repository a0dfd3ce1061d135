import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '@triphammer/config';
import { HINTS, type Hints } from '@triphammer/events';
import { CLOCK, type Clock, every, type Repetition } from '@triphammer/foundation';
import { poolOf, transaction } from '@triphammer/models';
import { abandonTask, type ClaimedJob, claimJobs, noteSeen, readLabelSets, readWaitingQueues, RunnerDirectory, type RunnerIdentity } from '@triphammer/runs';
import { Counter, Gauge } from 'prom-client';
import { DataSource } from 'typeorm';
import { QueueBoard } from './queue-board';
import { WaitingRoom } from './waiting-room';

const RELOAD_MS = 1_000;
const SEEN_FLUSH_MS = 30_000;

const heldPolls = new Gauge({ name: 'triphammer_sched_held_polls', help: 'FetchTask calls that wait for a job' });
const picks = new Counter({ name: 'triphammer_sched_pick_tx_total', help: 'Claim transactions by result', labelNames: ['result'] });

/**
 * The dispatcher's memory: who calls, what waits, who waits for it. Hints keep it current at once, a reload every second
 * is the net beneath them, and so an idle poll asks the database nothing.
 */
@Injectable()
export class DispatchDesk implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  readonly runners: RunnerDirectory;
  readonly board = new QueueBoard();
  readonly room: WaitingRoom;
  private readonly logger = new Logger('TaskDispatcher');
  private readonly seen = new Set<number>();
  /** Claims under a request key that nobody has confirmed: a Forgejo runner that lost the answer asks with the same key. */
  private readonly unconfirmed = new Map<string, ClaimedJob>();
  private readonly repetitions: Repetition[] = [];

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(HINTS) private readonly hints: Hints,
    @Inject(CONFIG) readonly config: Config,
  ) {
    this.runners = new RunnerDirectory({ query: (statement) => poolOf(this.dataSource).query(statement) }, clock);
    this.room = new WaitingRoom(
      this.board,
      async (labelKey, scope, claimers) => {
        const claimed = await transaction(this.dataSource, (tx) => claimJobs(tx, labelKey, scope, claimers, this.clock.now()));
        picks.inc({ result: claimed.length === 0 ? 'empty' : claimed.length < claimers.length ? 'some' : 'all' });
        return claimed;
      },
      (error) => this.logger.warn({ msg: 'jobs could not be claimed', err: error }),
    );
  }

  onModuleInit(): void {
    this.hints.on('jobs.released', ({ labelKey }) => this.announce(labelKey));
    this.hints.on('runner.changed', ({ runnerId }) => this.runners.forget(runnerId));
    this.hints.onGap(() => this.runners.forget());
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.reload();
    this.repetitions.push(
      every(RELOAD_MS, () => this.reload(), this.warn('what waits could not be read')),
      every(SEEN_FLUSH_MS, () => this.flushSeen(), this.warn('the runners seen could not be written')),
    );
  }

  async onModuleDestroy(): Promise<void> {
    this.room.close();
    await Promise.all(this.repetitions.map((repetition) => repetition.stop()));
    await this.flushSeen();
  }

  noteCall(runner: RunnerIdentity): void {
    this.seen.add(runner.id);
  }

  /** The job that this runner claimed under this key, when the answer seems to have been lost on its way. */
  replay(runner: RunnerIdentity, requestKey: string): ClaimedJob | undefined {
    return this.unconfirmed.get(`${runner.id} ${requestKey}`);
  }

  remember(job: ClaimedJob, requestKey: string): void {
    this.unconfirmed.set(`${job.runnerId} ${requestKey}`, job);
  }

  /** Gives a claim back whose answer did not reach the runner. */
  async giveBack(job: ClaimedJob): Promise<void> {
    await transaction(this.dataSource, (tx) => abandonTask(tx, job.taskId, this.clock.now()));
  }

  private announce(labelKey: number): void {
    this.board.announce(labelKey);
    if (this.board.knows(labelKey)) this.room.serve([labelKey]);
    else void this.reload().catch(this.warn('what waits could not be read'));
  }

  private async reload(): Promise<void> {
    const sql = poolOf(this.dataSource);
    const { labelKeys, unconfirmed } = await readWaitingQueues(sql);
    if (!labelKeys.every((key) => this.board.knows(key))) this.board.setLabelSets(await readLabelSets(sql));
    this.board.replace(labelKeys);
    this.unconfirmed.clear();
    for (const { requestKey, ...job } of unconfirmed) this.remember(job, requestKey);
    heldPolls.set(this.room.size);
    this.room.serve(labelKeys);
  }

  private async flushSeen(): Promise<void> {
    const ids = [...this.seen];
    this.seen.clear();
    await noteSeen(poolOf(this.dataSource), ids, this.clock.now());
  }

  private warn(msg: string): (error: unknown) => void {
    return (error) => this.logger.warn({ msg, err: error });
  }
}
