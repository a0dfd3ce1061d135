import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The job's own one-job workflow as a JSON document; it becomes YAML when a runner takes it. */
@Entity('job_payload')
export class JobPayload {
  @PrimaryColumn('bigint', { name: 'job_id' })
  jobId!: number;

  @Column('jsonb')
  document!: Record<string, unknown>;
}
