import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A consumer has had its effect of this message. Written in the effect's own transaction. */
@Entity('inbox')
@Index('inbox_handled_idx', ['handledAt'])
export class InboxEntry {
  @PrimaryColumn('text')
  consumer!: string;

  @PrimaryColumn('bigint', { name: 'message_id' })
  messageId!: number;

  @Column('timestamptz', { name: 'handled_at', default: () => 'now()' })
  handledAt!: Date;
}
