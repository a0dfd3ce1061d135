import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The job's own one-job workflow as JSON text (the order of its keys counts); it becomes YAML when a runner takes it. */
@Entity('job_payload')
export class JobPayload {
  @PrimaryColumn('bigint', { name: 'job_id' })
  jobId!: number;

  @Column('text')
  payload!: string;
}
