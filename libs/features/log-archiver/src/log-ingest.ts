import type { IncomingHttpHeaders } from 'node:http';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '@triphammer/config';
import { HINTS, type Hints } from '@triphammer/events';
import { CLOCK, type Clock, every, Failure, type Repetition } from '@triphammer/foundation';
import { type Appended, LogWriter } from '@triphammer/logs';
import { poolOf, type Sql, transaction } from '@triphammer/models';
import type { CallContext, UpdateLogRequest } from '@triphammer/runner-rpc';
import { noteHeard, RunnerDirectory, type RunnerIdentity } from '@triphammer/runs';
import { SHARED_CACHE, type SharedCache } from '@triphammer/shared-cache';
import { DataSource } from 'typeorm';
import { decodeLogBatch } from './decode-log-batch';
import { HeardTasks } from './heard-tasks';
import { KnownTasks } from './known-tasks';
import { logChannel } from './log-channel';
import { appendSeconds, ingestBytes } from './metrics';

const FLUSH_HEARD_MS = 5_000;

/** UpdateLog: who may write which log, and what follows from a row that was stored. */
@Injectable()
export class LogIngest implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('LogIngest');
  private readonly sql: Sql;
  private readonly runners: RunnerDirectory;
  private readonly tasks: KnownTasks;
  private readonly heard: HeardTasks;
  private readonly writer: LogWriter;
  private flushing: Repetition | undefined;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(HINTS) hints: Hints,
    @Inject(SHARED_CACHE) private readonly cache: SharedCache,
  ) {
    this.sql = poolOf(dataSource);
    this.runners = new RunnerDirectory(this.sql, clock);
    hints.on('runner.changed', ({ runnerId }) => this.runners.forget(runnerId));
    hints.onGap(() => this.runners.forget());
    this.tasks = new KnownTasks(this.sql, config.secrets.secretKey);
    this.heard = new HeardTasks((taskIds) => noteHeard(this.sql, taskIds, clock.now()), this.warn);
    this.writer = new LogWriter({
      sql: this.sql,
      transact: (work) => transaction(this.dataSource, work),
      clock,
      limits: { line: config.logs.lineLimit, task: config.logs.taskLimit },
    });
  }

  onApplicationBootstrap(): void {
    this.flushing = every(FLUSH_HEARD_MS, () => this.heard.flush(), this.warn);
  }

  /** By now no call is under way: the server closes before. */
  async onApplicationShutdown(): Promise<void> {
    await this.flushing?.stop();
    await this.writer.drain();
    await this.heard.flush();
  }

  /** The runner whose uuid and token the call carries. */
  async authenticate(headers: IncomingHttpHeaders): Promise<RunnerIdentity> {
    const { 'x-runner-uuid': uuid, 'x-runner-token': token } = headers;
    if (typeof uuid !== 'string' || typeof token !== 'string') {
      throw new Failure('unauthenticated', 'The call names no runner: x-runner-uuid and x-runner-token are missing.');
    }
    return this.runners.authenticate(uuid, token);
  }

  /**
   * Whatever state the task is in, its log is taken until it is complete: the last rows come after the result, or after a cancel.
   * The answer is never above what was sent, because that crashes runners.
   */
  async updateLog(request: UpdateLogRequest, { headers }: CallContext): Promise<{ ackIndex: bigint }> {
    const runner = await this.authenticate(headers);
    const task = await this.tasks.ofRunner(request.taskId, runner.id);
    this.heard.note(task.id);
    const batch = decodeLogBatch(request, task.secrets, this.clock.now());
    const stopTimer = appendSeconds.startTimer();
    const appended = await this.writer.append(task.id, batch);
    stopTimer();
    this.tell(task.id, appended);
    return { ackIndex: BigInt(appended.ackIndex) };
  }

  /** Nobody waits for it: a reader that misses it looks for itself. */
  private tell(taskId: number, { bytes, isComplete }: Appended): void {
    ingestBytes.inc(bytes);
    if (bytes > 0 || isComplete) void this.cache.publish(logChannel(taskId), '');
  }

  private readonly warn = (error: unknown): void => {
    this.logger.warn({ msg: 'tasks that were heard of could not be noted', err: error });
  };
}
