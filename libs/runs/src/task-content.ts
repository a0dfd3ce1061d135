import type { Sql } from '@triphammer/models';
import { mergeNeed, type NeedFacts, type NeedRow } from './needs';

/** Everything of a claimed job that its delivery is made from. */
export interface TaskContent {
  readonly jobId: number;
  readonly jobKey: string;
  readonly labels: readonly string[];
  /** JSON text of the one-job workflow. */
  readonly payload: string;
  readonly needs: Readonly<Record<string, NeedFacts>>;
  readonly run: {
    readonly id: number;
    readonly number: number;
    readonly attempt: number;
    readonly repositoryId: number;
    readonly ownerId: number;
    readonly workflow: string;
    readonly workflowFolder: string;
    readonly event: string;
    readonly eventPayload: Record<string, unknown>;
    readonly ref: string;
    readonly sha: string;
    readonly actor: string;
  };
}

/** Reads what task `taskId` hands out; undefined when a part of it is missing. */
export async function readTaskContent(sql: Sql, taskId: number): Promise<TaskContent | undefined> {
  const found = await sql.query<Omit<TaskContent, 'needs'> & { attemptId: number; needKeys: string[] }>({
    name: 'task-content',
    text: `select job.id as "jobId", job.key as "jobKey", job.labels, job.attempt_id as "attemptId", job.needs as "needKeys", payload.payload,
                  json_build_object('id', run.id, 'number', run.number, 'attempt', attempt.number, 'repositoryId', run.repository_id,
                    'ownerId', run.owner_id, 'workflow', run.workflow, 'workflowFolder', run.workflow_folder, 'event', run.event,
                    'eventPayload', run.event_payload, 'ref', run.ref, 'sha', run.sha, 'actor', run.actor) as run
             from task
             join job on job.id = task.job_id
             join job_payload payload on payload.job_id = job.id
             join attempt on attempt.id = job.attempt_id
             join run on run.id = job.run_id
            where task.id = $1`,
    values: [taskId],
  });
  const content = found.rows[0];
  if (!content) return undefined;
  const { attemptId, needKeys, ...rest } = content;
  return { ...rest, needs: needKeys.length === 0 ? {} : await readNeeds(sql, attemptId, needKeys) };
}

async function readNeeds(sql: Sql, attemptId: number, keys: readonly string[]): Promise<Record<string, NeedFacts>> {
  const found = await sql.query<NeedRow & { key: string }>({
    name: 'task-needs',
    text: `select job.key, job.status, job.continue_on_error as "continueOnError",
                  coalesce((select json_object_agg(output.key, output.value) from task_output output where output.task_id = job.task_id), '{}') as outputs
             from job where job.attempt_id = $1 and job.key = any($2) order by job.position`,
    values: [attemptId, keys],
  });
  return Object.fromEntries(keys.map((key) => [key, mergeNeed(found.rows.filter((row) => row.key === key))]));
}
