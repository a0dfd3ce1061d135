import type { Sql } from '@triphammer/models';
import { contextsOfCondition, type JsonObject, runContext } from '@triphammer/workflows';
import { type ConditionFacts, isReady, type NeedingJob } from './needs';

const GITHUB: readonly string[] = ['github', 'gitea', 'forgejo'];

/** What the conditions of the blocked jobs read. Nothing is fetched that none of them asks for, or while none can be decided. */
export async function readConditionFacts(sql: Sql, attemptId: number, jobs: readonly NeedingJob[]): Promise<ConditionFacts> {
  const blocked = jobs.filter(({ status }) => status === 'blocked');
  const conditions = blocked.some((job) => isReady(job, jobs)) ? blocked.flatMap(({ condition }) => condition ?? []) : [];
  const read = new Set([...new Set(conditions)].flatMap((condition) => [...contextsOfCondition(condition)]));
  return {
    github: GITHUB.some((name) => read.has(name)) ? await readGithubContext(sql, attemptId) : {},
    outputs: read.has('needs') ? await readOutputs(sql, attemptId) : new Map<number, Record<string, string>>(),
  };
}

interface RunRow {
  readonly id: number;
  readonly number: number;
  readonly attempt: number;
  readonly workflow: string;
  readonly workflowFolder: string;
  readonly event: string;
  readonly eventPayload: JsonObject;
  readonly ref: string;
  readonly sha: string;
  readonly actor: string;
  readonly repositoryId: number;
  readonly repositoryName: string;
  readonly ownerId: number;
  readonly ownerName: string;
}

async function readGithubContext(sql: Sql, attemptId: number): Promise<JsonObject> {
  const found = await sql.query<RunRow>({
    name: 'run-condition-context',
    text: `select run.id, run.number, attempt.number as attempt, run.workflow, run.workflow_folder as "workflowFolder", run.event,
                  run.event_payload as "eventPayload", run.ref, run.sha, run.actor, repository.id as "repositoryId",
                  repository.name as "repositoryName", owner.id as "ownerId", owner.name as "ownerName"
             from attempt join run on run.id = attempt.run_id
             join repository on repository.id = run.repository_id join owner on owner.id = repository.owner_id
            where attempt.id = $1`,
    values: [attemptId],
  });
  const run = found.rows[0];
  if (!run) return {};
  return runContext({
    run,
    workflow: { directory: run.workflowFolder, file: run.workflow },
    repository: { id: run.repositoryId, name: run.repositoryName, ownerId: run.ownerId, ownerName: run.ownerName },
    eventName: run.event,
    event: run.eventPayload,
    ref: run.ref,
    sha: run.sha,
    actor: { name: run.actor, id: null },
  });
}

async function readOutputs(sql: Sql, attemptId: number): Promise<ReadonlyMap<number, Record<string, string>>> {
  const found = await sql.query<{ jobId: number; outputs: Record<string, string> }>({
    name: 'attempt-outputs',
    text: `select job.id as "jobId", json_object_agg(output.key, output.value) as outputs
             from job join task_output output on output.task_id = job.task_id where job.attempt_id = $1 group by job.id`,
    values: [attemptId],
  });
  return new Map(found.rows.map(({ jobId, outputs }) => [jobId, outputs]));
}
