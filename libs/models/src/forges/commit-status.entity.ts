import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

export type CommitState = 'pending' | 'success' | 'failure' | 'skipped';

/** The status a commit should show under one context, and how far the forge has been told. */
@Entity('commit_status')
@Unique('commit_status_context_key', ['repositoryId', 'sha', 'context'])
@Index('commit_status_due_idx', { synchronize: false })
export class CommitStatus {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint', { name: 'repository_id' })
  repositoryId!: number;

  @Column('text')
  sha!: string;

  @Column('text')
  context!: string;

  /** The job whose state this is: a later run's job takes the context over from an earlier one, never the reverse. */
  @Column('bigint', { name: 'job_id' })
  jobId!: number;

  @Column('text')
  state!: CommitState;

  @Column('text')
  description!: string;

  @Column('text', { name: 'target_url' })
  targetUrl!: string;

  /** Raised by each change; the forge knows everything up to `postedRevision`. */
  @Column('integer', { default: 1 })
  revision!: number;

  @Column('integer', { name: 'posted_revision', default: 0 })
  postedRevision!: number;

  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('timestamptz', { name: 'next_attempt_at' })
  nextAttemptAt!: Date;

  /** Until then one process is telling the forge, and no other may: posts of one context never overtake each other. */
  @Column('timestamptz', { name: 'posting_until', nullable: true })
  postingUntil!: Date | null;

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;
}
