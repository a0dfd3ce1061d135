import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A message that a consumer could not handle after all its tries. */
@Entity('dead_letter')
export class DeadLetter {
  @PrimaryColumn('text')
  consumer!: string;

  @PrimaryColumn('bigint', { name: 'message_id' })
  messageId!: number;

  @Column('text')
  event!: string;

  @Column('jsonb')
  payload!: Record<string, unknown>;

  @Column('text')
  error!: string;

  @Column('integer')
  attempts!: number;

  @Column('timestamptz', { name: 'failed_at', default: () => 'now()' })
  failedAt!: Date;
}
