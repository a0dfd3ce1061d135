import type { Sql } from '@triphammer/models';
import { allOf, type Conjunction, pageOf, type Window } from './conditions';

/** A runner that is not retired. */
export interface RunnerRecord {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly version: string;
  readonly labels: readonly string[];
  readonly ephemeral: boolean;
  /** Whose jobs it takes; both null: everybody's. */
  readonly owner: string | null;
  /** `owner/name`. */
  readonly repository: string | null;
  readonly createdAt: Date;
  readonly lastSeenAt: Date | null;
  /** Tasks it works on now. */
  readonly tasks: number;
}

/** What is left out does not filter. An owner's runners are those registered for the owner, not for one repository of it. */
export interface RunnerFilter {
  readonly ownerId?: number | undefined;
  readonly repositoryId?: number | undefined;
}

const RUNNER_COLUMNS = `
  runner.id, runner.uuid, runner.name, runner.version, runner.labels, runner.ephemeral, owner.name as owner,
  home.name || '/' || repository.name as repository, runner.created_at as "createdAt", runner.last_seen_at as "lastSeenAt",
  (select count(*) from task where task.runner_id = runner.id and task.status in ('claimed', 'running', 'cancelling')) as tasks`;

const RUNNER_TABLES = `
  runner left join owner on owner.id = runner.owner_id
         left join repository on repository.id = runner.repository_id left join owner home on home.id = repository.owner_id`;

/** Runners that pass the filter, in the order of their registration, and how many there are in all. */
export async function findRunners(sql: Sql, filter: RunnerFilter, window: Window): Promise<{ runners: readonly RunnerRecord[]; total: number }> {
  const where = allOf([
    ['runner.repository_id is null and runner.owner_id = ?', filter.ownerId],
    ['runner.repository_id = ?', filter.repositoryId],
  ]);
  const [runners, total] = [await readRunners(sql, where, `order by runner.id ${pageOf(window)}`), await countRunners(sql, where)];
  return { runners, total };
}

/** One runner; undefined when there is none with this id, or it is retired. */
export async function findRunner(sql: Sql, runnerId: number): Promise<RunnerRecord | undefined> {
  return (await readRunners(sql, allOf([['runner.id = ?', runnerId]]), ''))[0];
}

async function readRunners(sql: Sql, where: Conjunction, tail: string): Promise<readonly RunnerRecord[]> {
  const found = await sql.query<RunnerRecord>({
    text: `select ${RUNNER_COLUMNS} from ${RUNNER_TABLES} where runner.retired_at is null and ${where.text} ${tail}`,
    values: [...where.values],
  });
  return found.rows;
}

async function countRunners(sql: Sql, where: Conjunction): Promise<number> {
  const counted = await sql.query<{ total: number }>({
    text: `select count(*) as total from runner where retired_at is null and ${where.text}`,
    values: [...where.values],
  });
  return counted.rows[0]?.total ?? 0;
}
