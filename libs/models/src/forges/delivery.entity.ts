import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

/**
 * `received` until the detector has decided; `refused` when it could not be evaluated at all, with the reason in the trace;
 * `duplicate` when it says again what another delivery has said.
 */
export type DeliveryStatus = 'received' | 'evaluated' | 'refused' | 'duplicate';

/** One webhook as it came, and what became of it. */
@Entity('delivery')
@Unique('delivery_key', ['connectionId', 'deliveryKey'])
@Index('delivery_repository_idx', ['repositoryId', 'id'])
@Index('delivery_ref_idx', ['repositoryId', 'ref', 'receivedAt'])
export class Delivery {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint', { name: 'connection_id' })
  connectionId!: number;

  /** The forge's delivery id; where a forge sends none, the digest of the body. */
  @Column('text', { name: 'delivery_key' })
  deliveryKey!: string;

  /** The fine event name (`X-Gitea-Event-Type`), the one that decides. */
  @Column('text')
  event!: string;

  /** The payload's `action`, where there is one. */
  @Column('text', { nullable: true })
  action!: string | null;

  @Column('bigint', { name: 'repository_id', nullable: true })
  repositoryId!: number | null;

  /** The commit and ref the event is about, for looking a delivery up by commit. */
  @Column('text', { nullable: true })
  ref!: string | null;

  @Index('delivery_sha_idx')
  @Column('text', { nullable: true })
  sha!: string | null;

  /** Where the event moved the ref from and to (all zeros: it was made, or deleted); null when it moved none. */
  @Column('text', { nullable: true })
  before!: string | null;

  @Column('text', { nullable: true })
  after!: string | null;

  /** For `duplicate`: the delivery that said it first. */
  @Column('bigint', { name: 'duplicate_of', nullable: true })
  duplicateOf!: number | null;

  /** The exact signed bytes. */
  @Column('bytea', { select: false })
  body!: Buffer;

  @Column('text')
  status!: DeliveryStatus;

  /** The verdict tree, one entry a workflow file; null until evaluated. */
  @Column('jsonb', { nullable: true })
  trace!: unknown;

  @Column('timestamptz', { name: 'received_at' })
  receivedAt!: Date;

  @Column('timestamptz', { name: 'evaluated_at', nullable: true })
  evaluatedAt!: Date | null;
}
