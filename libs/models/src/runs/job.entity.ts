import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { RunStatus } from './status';

/** One job of one attempt; a matrix has one for each combination. Narrow, because it is what a claim scans. */
@Entity('job')
@Index('job_attempt_idx', ['attemptId'])
@Index('job_run_idx', ['runId'])
@Index('job_waiting_idx', { synchronize: false })
@Index('job_waiting_owner_idx', { synchronize: false })
@Index('job_waiting_repository_idx', { synchronize: false })
export class Job {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint', { name: 'attempt_id' })
  attemptId!: number;

  @Column('bigint', { name: 'run_id' })
  runId!: number;

  @Column('bigint', { name: 'repository_id' })
  repositoryId!: number;

  @Column('bigint', { name: 'owner_id' })
  ownerId!: number;

  /** The key below `jobs:`; equal for all combinations of a matrix. */
  @Column('text')
  key!: string;

  @Column('text')
  name!: string;

  /** What the forge shows its state under; null where the event has no commit status. */
  @Column('text', { name: 'status_context', nullable: true })
  statusContext!: string | null;

  /** Order of the jobs within the attempt. */
  @Column('integer')
  position!: number;

  @Column('text', { array: true })
  needs!: string[];

  /** `if` as the workflow spells it; null: all that is needed must have succeeded. */
  @Column('text', { nullable: true })
  condition!: string | null;

  /** `runs-on` as the workflow spells it; empty: any runner. */
  @Column('text', { array: true })
  labels!: string[];

  /** The label set's key, see `label_set`. */
  @Column('bigint', { name: 'label_key' })
  labelKey!: number;

  @Column('integer', { default: 0 })
  priority!: number;

  @Column('boolean', { name: 'continue_on_error', default: false })
  continueOnError!: boolean;

  @Column('integer', { name: 'timeout_minutes' })
  timeoutMinutes!: number;

  @Column('text')
  status!: RunStatus;

  /** Why a job ended without, or against, a runner's report; for people. */
  @Column('text', { nullable: true })
  reason!: string | null;

  /** The task that runs, or ran, this job; null before the first claim and while it waits again. */
  @Column('bigint', { name: 'task_id', nullable: true })
  taskId!: number | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  /** When it last became claimable. */
  @Column('timestamptz', { name: 'released_at', nullable: true })
  releasedAt!: Date | null;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { name: 'stopped_at', nullable: true })
  stoppedAt!: Date | null;
}
