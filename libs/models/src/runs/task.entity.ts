import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/**
 * `claimed` until the runner's first report; `abandoned` when that never came or the runner fell silent before it:
 * its job then waits again under a new task, and a late report of this one is answered CANCELLED.
 */
export type TaskStatus = 'claimed' | 'running' | 'cancelling' | 'success' | 'failure' | 'cancelled' | 'skipped' | 'abandoned';

/** One delivery of a job to a runner. */
@Entity('task')
@Index('task_job_idx', ['jobId'])
@Index('task_live_idx', { synchronize: false })
@Index('task_request_key_idx', { synchronize: false })
export class Task {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint', { name: 'job_id' })
  jobId!: number;

  @Column('bigint', { name: 'run_id' })
  runId!: number;

  @Column('bigint', { name: 'repository_id' })
  repositoryId!: number;

  /** `owner/name` as the runner was told it, which a rename at the forge does not change; null when the repository was gone. */
  @Column('text', { name: 'repository_name', nullable: true })
  repositoryName!: string | null;

  @Column('bigint', { name: 'runner_id' })
  runnerId!: number;

  @Column('text')
  status!: TaskStatus;

  /** Forgejo's `x-runner-request-key`: the same key gets the same task again. */
  @Column('text', { name: 'request_key', nullable: true })
  requestKey!: string | null;

  @Column('timestamptz', { name: 'claimed_at' })
  claimedAt!: Date;

  /** The last call that named this task; null before the first. */
  @Column('timestamptz', { name: 'heard_at', nullable: true })
  heardAt!: Date | null;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { name: 'stopped_at', nullable: true })
  stoppedAt!: Date | null;
}
