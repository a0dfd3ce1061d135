import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { handleOnce, type Message } from '@triphammer/events';
import { CLOCK, type Clock } from '@triphammer/foundation';
import { type Tx } from '@triphammer/models';
import { resolveRun, retireSpentRunner } from '@triphammer/runs';
import { DataSource } from 'typeorm';

/** What follows from a job's end. Each effect and its inbox row are one transaction, and each asks the state anew. */
@Controller()
export class RunConsumers {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @EventPattern({ event: 'job.finished', consumer: 'resolve-run' })
  async resolve(message: Message<'job.finished'>): Promise<void> {
    await handleOnce(this.dataSource, message, (tx) => resolveRun(tx, message.payload.runId, this.clock.now()));
  }

  @EventPattern({ event: 'job.finished', consumer: 'retire-runner-of-job' })
  async retireAfterJob(message: Message<'job.finished'>): Promise<void> {
    await handleOnce(this.dataSource, message, async (tx) => {
      const taskId = await taskOfJob(tx, message.payload.jobId);
      if (taskId !== null) await retireSpentRunner(tx, taskId, this.clock.now());
    });
  }

  @EventPattern({ event: 'log.completed', consumer: 'retire-runner-of-log' })
  async retireAfterLog(message: Message<'log.completed'>): Promise<void> {
    await handleOnce(this.dataSource, message, (tx) => retireSpentRunner(tx, message.payload.taskId, this.clock.now()));
  }
}

async function taskOfJob(tx: Tx, jobId: number): Promise<number | null> {
  const found = await tx.sql.query<{ taskId: number | null }>({
    name: 'job-task',
    text: 'select task_id as "taskId" from job where id = $1',
    values: [jobId],
  });
  return found.rows[0]?.taskId ?? null;
}
