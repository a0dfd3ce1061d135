import { Failure } from '@triphammer/foundation';
import type { Sql } from '@triphammer/models';
import type { JobRecord } from '@triphammer/runs';

/** Whose log a job shows. */
export interface JobLog {
  readonly jobId: number;
  readonly status: JobRecord['status'];
  /** Null while no runner has it, and for good when none ever did. */
  readonly taskId: number | null;
}

const ID = /^[1-9]\d{0,14}$/;

/** A job by the path that names it; throws `not-found`, also when it is another repository's. */
export async function findJobLog(
  sql: Sql,
  { owner, repo, job_id }: { readonly owner: string; readonly repo: string; readonly job_id: string },
): Promise<JobLog> {
  const found = ID.test(job_id)
    ? await sql.query<JobLog>({
        name: 'log-job-by-path',
        text: `select job.id as "jobId", job.status, job.task_id as "taskId"
                 from job join repository on repository.id = job.repository_id join owner on owner.id = repository.owner_id
                where job.id = $1 and owner.lower_name = lower($2) and repository.lower_name = lower($3)`,
        values: [Number(job_id), owner, repo],
      })
    : undefined;
  const job = found?.rows[0];
  if (!job) throw new Failure('not-found', `${owner}/${repo} has no job ${job_id}.`);
  return job;
}

/** The same job as it is now. */
export async function reloadJobLog(sql: Sql, jobId: number): Promise<JobLog> {
  const found = await sql.query<JobLog>({ name: 'log-job', text: 'select id as "jobId", status, task_id as "taskId" from job where id = $1', values: [jobId] });
  const [job] = found.rows;
  if (!job) throw new Failure('not-found', `There is no job ${jobId}.`);
  return job;
}

/** Those of the tasks that are not their job's task any more: the job was given to another runner, or waits for one. */
export async function findSuperseded(sql: Sql, taskIds: readonly number[]): Promise<ReadonlySet<number>> {
  const found = await sql.query<{ id: number }>({
    name: 'log-tasks-superseded',
    text: 'select task.id from task join job on job.id = task.job_id where task.id = any($1) and job.task_id is distinct from task.id',
    values: [taskIds],
  });
  return new Set(found.rows.map((row) => row.id));
}
