import type { Sql } from '@triphammer/models';
import type { RunStatus } from '@triphammer/models/runs';
import { allOf, type Conjunction, pageOf, type Window } from './conditions';

/** A run with its latest attempt, and the repository it belongs to. */
export interface RunRecord {
  readonly id: number;
  readonly number: number;
  readonly repository: RepositoryRecord;
  readonly workflow: string;
  readonly workflowName: string;
  readonly title: string;
  readonly event: string;
  readonly ref: string;
  readonly sha: string;
  readonly actor: string;
  readonly triggeringActor: string;
  readonly status: RunStatus;
  readonly attempt: number;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly stoppedAt: Date | null;
}

export interface RepositoryRecord {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly isPrivate: boolean;
  readonly defaultBranch: string;
}

/** What is left out does not filter. */
export interface RunFilter {
  readonly repositoryId?: number | undefined;
  readonly statuses?: readonly RunStatus[] | undefined;
  readonly event?: string | undefined;
  readonly ref?: string | undefined;
  readonly actor?: string | undefined;
  readonly sha?: string | undefined;
}

const RUN_COLUMNS = `
  run.id, run.number, run.workflow, run.workflow_name as "workflowName", run.title, run.event, run.ref, run.sha, run.actor, run.status,
  run.attempt_number as attempt, attempt.triggering_actor as "triggeringActor",
  run.created_at as "createdAt", run.started_at as "startedAt", run.stopped_at as "stoppedAt",
  json_build_object('id', repository.id, 'owner', owner.name, 'name', repository.name,
                    'isPrivate', repository.is_private, 'defaultBranch', repository.default_branch) as repository`;

const RUN_TABLES = `
  run join repository on repository.id = run.repository_id join owner on owner.id = repository.owner_id
      join attempt on attempt.run_id = run.id and attempt.number = run.attempt_number`;

/** Runs that pass the filter, the newest first, and how many there are in all. */
export async function findRuns(sql: Sql, filter: RunFilter, window: Window): Promise<{ runs: readonly RunRecord[]; total: number }> {
  const where = allOf([
    ['run.repository_id = ?', filter.repositoryId],
    ['run.status = any(?)', filter.statuses],
    ['run.event = ?', filter.event],
    ['run.ref = ?', filter.ref],
    ['lower(run.actor) = lower(?)', filter.actor],
    ['run.sha = ?', filter.sha],
  ]);
  // Within a repository the numbers rise as the ids do, and they are what its index is ordered by.
  const order = filter.repositoryId === undefined ? 'run.id desc' : 'run.number desc';
  const [runs, total] = [await readRuns(sql, where, `order by ${order} ${pageOf(window)}`), await countRuns(sql, where)];
  return { runs, total };
}

/** One run; undefined when there is none with this id, or it is of another repository than the one asked for. */
export async function findRun(sql: Sql, runId: number, repositoryId?: number): Promise<RunRecord | undefined> {
  const where = allOf([
    ['run.id = ?', runId],
    ['run.repository_id = ?', repositoryId],
  ]);
  return (await readRuns(sql, where, ''))[0];
}

async function readRuns(sql: Sql, where: Conjunction, tail: string): Promise<readonly RunRecord[]> {
  const found = await sql.query<RunRecord>({ text: `select ${RUN_COLUMNS} from ${RUN_TABLES} where ${where.text} ${tail}`, values: [...where.values] });
  return found.rows;
}

async function countRuns(sql: Sql, where: Conjunction): Promise<number> {
  const counted = await sql.query<{ total: number }>({
    text: `select count(*) as total from ${RUN_TABLES} where ${where.text}`,
    values: [...where.values],
  });
  return counted.rows[0]?.total ?? 0;
}
