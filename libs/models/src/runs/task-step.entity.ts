import { Column, Entity, PrimaryColumn } from 'typeorm';

export type StepStatus = 'waiting' | 'running' | 'success' | 'failure' | 'cancelled' | 'skipped';

@Entity('task_step')
export class TaskStep {
  @PrimaryColumn('bigint', { name: 'task_id' })
  taskId!: number;

  /** 0-based, in the order of the workflow. */
  @PrimaryColumn('integer')
  index!: number;

  @Column('text')
  status!: StepStatus;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { name: 'stopped_at', nullable: true })
  stoppedAt!: Date | null;

  /** The step's slice of the task's log, in rows. It may run ahead of what is stored. */
  @Column('bigint', { name: 'log_index' })
  logIndex!: number;

  @Column('bigint', { name: 'log_length' })
  logLength!: number;
}
