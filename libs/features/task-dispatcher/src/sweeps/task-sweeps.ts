import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { CONFIG, type Config } from '@triphammer/config';
import { CLOCK, type Clock, every, formatDuration, type Repetition } from '@triphammer/foundation';
import { transaction } from '@triphammer/models';
import { abandonTask, endTask, findOverdueTasks, findSilentTasks, findUnconfirmedTasks } from '@triphammer/runs';
import { Counter } from 'prom-client';
import { DataSource } from 'typeorm';

const PAUSE_MS = 2_000;

const lost = new Counter({ name: 'triphammer_sched_lost_tasks_total', help: 'Tasks that ended here and not by their runner', labelNames: ['cause'] });

/**
 * Ends the tasks whose runner does not: never heard of, fallen silent, or over time. Any number of replicas sweep side by
 * side. Silence counts from this process's start at the earliest, because while no dispatcher ran nobody could report.
 */
@Injectable()
export class TaskSweeps implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('TaskSweeps');
  private readonly repetitions: Repetition[] = [];
  private readyAt = 0;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.readyAt = this.clock.now().getTime();
    const warn = (error: unknown) => this.logger.warn({ msg: 'a sweep failed', err: error });
    this.repetitions.push(
      every(PAUSE_MS, () => this.abandonUnconfirmed(), warn),
      every(PAUSE_MS, () => this.failSilent(), warn),
      every(PAUSE_MS, () => this.failOverdue(), warn),
    );
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.repetitions.map((repetition) => repetition.stop()));
  }

  /** A task nobody confirmed goes back to the queue, once the time has passed since its claim and since our start. */
  async abandonUnconfirmed(): Promise<void> {
    const before = this.before(this.config.runners.claimConfirmTimeoutMs);
    if (!before) return;
    await this.sweep('unconfirmed', async (tx, now) => {
      const ids = await findUnconfirmedTasks(tx, before);
      for (const id of ids) await abandonTask(tx, id, now);
      return ids.length;
    });
  }

  async failSilent(): Promise<void> {
    const limitMs = this.config.runners.taskSilenceTimeoutMs;
    const before = this.before(limitMs);
    if (!before) return;
    const reason = `The runner was not heard of for ${formatDuration(limitMs)}.`;
    await this.sweep('silent', async (tx, now) => {
      const ids = await findSilentTasks(tx, before);
      for (const id of ids) await endTask(tx, id, 'failure', reason, now);
      return ids.length;
    });
  }

  async failOverdue(): Promise<void> {
    await this.sweep('overdue', async (tx, now) => {
      const tasks = await findOverdueTasks(tx, now);
      for (const { taskId, timeoutMinutes, isCancelling } of tasks) {
        await endTask(tx, taskId, isCancelling ? 'cancelled' : 'failure', `The job ran longer than its limit of ${timeoutMinutes} minutes.`, now);
      }
      return tasks.length;
    });
  }

  private before(ms: number): Date | undefined {
    const now = this.clock.now().getTime();
    return now - this.readyAt < ms ? undefined : new Date(now - ms);
  }

  private async sweep(cause: string, work: (tx: Parameters<Parameters<typeof transaction>[1]>[0], now: Date) => Promise<number>): Promise<void> {
    const count = await transaction(this.dataSource, (tx) => work(tx, this.clock.now()));
    if (count === 0) return;
    lost.inc({ cause }, count);
    this.logger.warn({ msg: 'tasks were ended', cause, count });
  }
}
