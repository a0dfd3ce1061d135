import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BLOB_STORE, type BlobStore } from '@triphammer/blob-store';
import { CONFIG, type Config } from '@triphammer/config';
import { CLOCK, type Clock, every, type Repetition } from '@triphammer/foundation';
import { completeLog, recordArchive, unsealedLogs, writeArchive } from '@triphammer/logs';
import { poolOf, transaction } from '@triphammer/models';
import { DataSource } from 'typeorm';
import { findForsakenLogs } from './forsaken-logs';

const PAUSE_MS = 30_000;
/** Runners flush for ten seconds after a job; those that were cancelled run their post steps for up to five minutes before. */
const GRACE_MS = 10 * 60_000;
/** By then the event should have done it. */
const SEAL_AFTER_MS = 5 * 60_000;
const BATCH = 50;

/** The nets: ends the logs that no runner will end, and seals those whose event went astray. Any number of replicas side by side. */
@Injectable()
export class LogSweeps implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('LogSweeps');
  private readonly repetitions: Repetition[] = [];

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  onApplicationBootstrap(): void {
    const warn = (error: unknown) => this.logger.warn({ msg: 'a sweep failed', err: error });
    this.repetitions.push(
      every(PAUSE_MS, () => this.completeForsaken(), warn),
      every(PAUSE_MS, () => this.sealUnsealed(), warn),
    );
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.repetitions.map((repetition) => repetition.stop()));
  }

  /** Ends the logs of tasks that have been over for ten minutes. */
  async completeForsaken(): Promise<void> {
    const forsaken = await findForsakenLogs(poolOf(this.dataSource), this.before(GRACE_MS), BATCH);
    for (const { taskId, status, stoppedAt } of forsaken) {
      const reason = `[the runner did not end this log: its task ended as ${status} at ${stoppedAt.toISOString()}]`;
      await transaction(this.dataSource, (tx) => completeLog(tx, taskId, reason, this.clock.now()));
    }
    if (forsaken.length > 0) this.logger.warn({ msg: 'logs were ended without their runner', count: forsaken.length });
  }

  /** One that cannot be sealed does not stand in the way of the others. */
  async sealUnsealed(): Promise<void> {
    for (const taskId of await unsealedLogs(poolOf(this.dataSource), this.before(SEAL_AFTER_MS), BATCH)) {
      await this.seal(taskId).catch((error: unknown) => this.logger.error({ msg: 'a log could not be sealed', taskId, err: error }));
    }
  }

  private async seal(taskId: number): Promise<void> {
    const archive = await writeArchive({ sql: poolOf(this.dataSource), blobs: this.blobs }, taskId, this.config.logs.archive);
    if (archive) await transaction(this.dataSource, (tx) => recordArchive(tx, taskId, archive, this.clock.now()));
  }

  private before(ms: number): Date {
    return new Date(this.clock.now().getTime() - ms);
  }
}
