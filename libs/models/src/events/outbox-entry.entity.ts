import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** An event that is true already and not yet on the bus. The row's id is the message's id everywhere. */
@Entity('outbox')
@Index('outbox_due_idx', ['shard', 'id'])
export class OutboxEntry {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('smallint')
  shard!: number;

  @Column('text')
  event!: string;

  @Column('jsonb')
  payload!: Record<string, unknown>;

  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('timestamptz', { name: 'next_attempt_at', default: () => 'now()' })
  nextAttemptAt!: Date;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
