import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { CONFIG, type Config } from '@triphammer/config';
import { handleOnce, type Message } from '@triphammer/events';
import { CLOCK, type Clock } from '@triphammer/foundation';
import { wantStatus } from '@triphammer/forges';
import { ADVISORY_LOCKS, type Tx } from '@triphammer/models';
import { DataSource } from 'typeorm';
import { type StatusJob, wantedStatus } from './wanted-status';

/**
 * Writes down what commits should show, from the jobs' state at this moment and not from the message: so it matters
 * neither in which order messages come nor how often.
 */
@Controller()
export class WantStatuses {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @EventPattern({ event: 'run.created', consumer: 'status-of-created-run' })
  async runCreated(message: Message<'run.created'>): Promise<void> {
    await handleOnce(this.dataSource, message, (tx) => this.want(tx, message.payload.runId));
  }

  @EventPattern({ event: 'job.released', consumer: 'status-of-released-job' })
  async jobReleased(message: Message<'job.released'>): Promise<void> {
    await handleOnce(this.dataSource, message, (tx) => this.want(tx, message.payload.runId, message.payload.jobId));
  }

  @EventPattern({ event: 'job.claimed', consumer: 'status-of-claimed-job' })
  async jobClaimed(message: Message<'job.claimed'>): Promise<void> {
    await handleOnce(this.dataSource, message, (tx) => this.want(tx, message.payload.runId, message.payload.jobId));
  }

  @EventPattern({ event: 'job.finished', consumer: 'status-of-finished-job' })
  async jobFinished(message: Message<'job.finished'>): Promise<void> {
    await handleOnce(this.dataSource, message, (tx) => this.want(tx, message.payload.runId, message.payload.jobId));
  }

  /** All jobs of the run, or the one. */
  private async want(tx: Tx, runId: number, jobId: number | null = null): Promise<void> {
    await lockStatuses(tx, runId);
    for (const job of await readStatusJobs(tx, runId, jobId)) await wantStatus(tx, wantedStatus(job, this.config.network.publicUrl), this.clock.now());
  }
}

/** One writer of a run's statuses at a time, so that whoever reads the jobs later also writes later. The jobs' rows stay free for a claim. */
async function lockStatuses({ sql }: Tx, runId: number): Promise<void> {
  await sql.query({ name: 'statuses-lock', text: 'select pg_advisory_xact_lock($1, hashint8($2))', values: [ADVISORY_LOCKS.commitStatus, runId] });
}

async function readStatusJobs({ sql }: Tx, runId: number, jobId: number | null): Promise<readonly StatusJob[]> {
  const found = await sql.query<{ -readonly [Key in keyof StatusJob]: StatusJob[Key] }>({
    name: jobId === null ? 'status-jobs-of-run' : 'status-job',
    text: `select job.id as "jobId", job.run_id as "runId", job.repository_id as "repositoryId", owner.name as "ownerName",
                  repository.name as "repositoryName", run.sha, job.status_context as context, job.status,
                  job.started_at as "startedAt", job.stopped_at as "stoppedAt"
             from job
             join run on run.id = job.run_id
             join repository on repository.id = job.repository_id
             join owner on owner.id = repository.owner_id
             join forge_connection on forge_connection.id = repository.connection_id
            where ${jobId === null ? 'job.run_id' : 'job.id'} = $1 and job.status_context is not null and forge_connection.kind <> 'git'
            order by job.id`,
    values: [jobId ?? runId],
  });
  return found.rows;
}
