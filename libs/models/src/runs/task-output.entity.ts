import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('task_output')
export class TaskOutput {
  @PrimaryColumn('bigint', { name: 'task_id' })
  taskId!: number;

  @PrimaryColumn('text')
  key!: string;

  @Column('text')
  value!: string;
}
