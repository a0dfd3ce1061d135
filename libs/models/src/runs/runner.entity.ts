import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

@Entity('runner')
@Unique('runner_uuid_key', ['uuid'])
export class Runner {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('uuid')
  uuid!: string;

  @Column('text')
  name!: string;

  /** SHA-256 of the runner's token, hex. */
  @Column('text', { name: 'token_hash' })
  tokenHash!: string;

  /** Scope: an owner's or one repository's jobs; both null for the whole instance. */
  @Column('bigint', { name: 'owner_id', nullable: true })
  ownerId!: number | null;

  @Column('bigint', { name: 'repository_id', nullable: true })
  repositoryId!: number | null;

  /** As the runner spells them, in its order. */
  @Column('text', { array: true })
  labels!: string[];

  @Column('text', { array: true })
  capabilities!: string[];

  @Column('text')
  version!: string;

  /** Takes one task and is retired after that task's last log row. */
  @Column('boolean')
  ephemeral!: boolean;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'last_seen_at', nullable: true })
  lastSeenAt!: Date | null;

  /** Set when the runner may not come back: deleted by an admin, or ephemeral and done. */
  @Column('timestamptz', { name: 'retired_at', nullable: true })
  retiredAt!: Date | null;
}
