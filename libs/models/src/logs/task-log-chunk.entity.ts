import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Rows of a log that is still hot, gzip of their archive form; gone once the log is sealed. */
@Entity('task_log_chunk')
export class TaskLogChunk {
  @PrimaryColumn('bigint', { name: 'task_id' })
  taskId!: number;

  @PrimaryColumn('bigint', { name: 'start_index' })
  startIndex!: number;

  @Column('integer')
  rows!: number;

  @Column('bytea')
  data!: Buffer;
}
