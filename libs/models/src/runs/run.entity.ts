import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';
import type { RunStatus } from './status';

/** One workflow, started by one event. Its state is that of its latest attempt. */
@Entity('run')
@Unique('run_number_key', ['repositoryId', 'number'])
@Unique('run_delivery_key', ['deliveryId', 'workflow'])
@Index('run_owner_idx', ['ownerId', 'id'])
export class Run {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'BY DEFAULT' })
  id!: number;

  @Column('bigint', { name: 'repository_id' })
  repositoryId!: number;

  @Column('bigint', { name: 'owner_id' })
  ownerId!: number;

  /** Counts up within the repository, over all its workflows. */
  @Column('bigint')
  number!: number;

  @Column('bigint', { name: 'delivery_id' })
  deliveryId!: number;

  /** The file's path below the workflow folder: `ci.yml`, `sub/release.yml`. */
  @Column('text')
  workflow!: string;

  /** The folder that `workflow` lies below: `.gitea/workflows`. */
  @Column('text', { name: 'workflow_folder' })
  workflowFolder!: string;

  @Column('text', { name: 'workflow_name' })
  workflowName!: string;

  @Column('text')
  title!: string;

  @Column('text')
  event!: string;

  /** `github.event`: the forge's payload, as it came. */
  @Column('jsonb', { name: 'event_payload', select: false })
  eventPayload!: Record<string, unknown>;

  /** The full ref: `refs/heads/main`. */
  @Column('text')
  ref!: string;

  /** The commit, also where the event was about an annotated tag. */
  @Index('run_sha_idx')
  @Column('text')
  sha!: string;

  @Column('text')
  actor!: string;

  @Column('text')
  status!: RunStatus;

  @Column('integer', { name: 'attempt_number', default: 1 })
  attemptNumber!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { name: 'stopped_at', nullable: true })
  stoppedAt!: Date | null;
}
