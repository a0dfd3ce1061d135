import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { BLOB_STORE, type BlobStore } from '@triphammer/blob-store';
import { CONFIG, type Config } from '@triphammer/config';
import { handleOnce, type Message } from '@triphammer/events';
import { CLOCK, type Clock } from '@triphammer/foundation';
import { openLogs, recordArchive, writeArchive } from '@triphammer/logs';
import { poolOf, type Tx } from '@triphammer/models';
import { DataSource } from 'typeorm';

@Controller()
export class LogConsumers {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  /** The object is written outside of the transaction, which would be long; written again it is the same object. */
  @EventPattern({ event: 'log.completed', consumer: 'seal-log' })
  async seal(message: Message<'log.completed'>): Promise<void> {
    const { taskId } = message.payload;
    const archive = await writeArchive({ sql: poolOf(this.dataSource), blobs: this.blobs }, taskId, this.config.logs.archive);
    await handleOnce(this.dataSource, message, async (tx) => {
      if (archive) await recordArchive(tx, taskId, archive, this.clock.now());
    });
  }

  /** A job whose runner never logged has a log all the same, which the sweep can end. */
  @EventPattern({ event: 'job.finished', consumer: 'open-log' })
  async open(message: Message<'job.finished'>): Promise<void> {
    await handleOnce(this.dataSource, message, async (tx) => {
      const taskId = await taskOfJob(tx, message.payload.jobId);
      if (taskId !== null) await openLogs(tx.sql, [taskId]);
    });
  }
}

async function taskOfJob(tx: Tx, jobId: number): Promise<number | null> {
  const found = await tx.sql.query<{ taskId: number | null }>({
    name: 'log-job-task',
    text: 'select task_id as "taskId" from job where id = $1',
    values: [jobId],
  });
  return found.rows[0]?.taskId ?? null;
}
