import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';
import type { RunStatus } from './status';

@Entity('attempt')
@Unique('attempt_number_key', ['runId', 'number'])
export class Attempt {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint', { name: 'run_id' })
  runId!: number;

  /** 1 for the first. */
  @Column('integer')
  number!: number;

  /** Who asked for this attempt; the run's actor for the first. */
  @Column('text', { name: 'triggering_actor' })
  triggeringActor!: string;

  @Column('text')
  status!: RunStatus;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { name: 'stopped_at', nullable: true })
  stoppedAt!: Date | null;
}
