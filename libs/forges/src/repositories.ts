import { Failure } from '@triphammer/foundation';
import type { Sql, Tx } from '@triphammer/models';
import type { RepositoryFacts } from './forge-event';

const UNIQUE_VIOLATION = '23505';

/** A repository with the name of its owner: `ownerName/name` is what our URLs call it. */
export interface RepositoryRecord {
  readonly id: number;
  readonly ownerId: number;
  readonly ownerName: string;
  readonly name: string;
  readonly connectionId: number;
  readonly forgeRepositoryId: string;
  readonly forgeFullName: string;
  readonly defaultBranch: string;
  readonly isPrivate: boolean;
}

/**
 * Our record of a forge's repository; made when it is new, brought up to date when the forge renamed, moved or changed it.
 * Returns its id. Any number of transactions may ask for the same one at once. Throws `conflict` when `ownerId` has another
 * repository of that name.
 */
export async function ensureRepository(tx: Tx, connectionId: number, facts: RepositoryFacts, ownerId: number): Promise<number> {
  const current = await readCurrent(tx, connectionId, facts, ownerId);
  if (current?.isUpToDate) return current.id;
  await moveStaleNameAside(tx, connectionId, facts, ownerId);
  if (current) return update(tx, current.id, facts, ownerId);
  const added = await insert(tx, connectionId, facts, ownerId);
  if (added !== undefined) return added;
  const rival = await readCurrent(tx, connectionId, facts, ownerId);
  if (!rival) throw nameIsTaken(facts);
  return rival.isUpToDate ? rival.id : update(tx, rival.id, facts, ownerId);
}

/** Throws `not-found`. */
export async function readRepository(sql: Sql, id: number): Promise<RepositoryRecord> {
  const found = await sql.query<Row>({ name: 'repository-by-id', text: `${SELECT} where r.id = $1`, values: [id] });
  if (!found.rows[0]) throw new Failure('not-found', `There is no repository ${id}.`);
  return found.rows[0];
}

/** By the name that our URLs use, in any case. */
export async function findRepository(sql: Sql, ownerName: string, name: string): Promise<RepositoryRecord | undefined> {
  const found = await sql.query<Row>({
    name: 'repository-by-name',
    text: `${SELECT} where o.lower_name = $1 and r.lower_name = $2`,
    values: [ownerName.toLowerCase(), name.toLowerCase()],
  });
  return found.rows[0];
}

type Row = { -readonly [Key in keyof RepositoryRecord]: RepositoryRecord[Key] };

const SELECT = `select r.id, r.owner_id as "ownerId", o.name as "ownerName", r.name, r.connection_id as "connectionId",
                       r.forge_repository_id as "forgeRepositoryId", r.forge_full_name as "forgeFullName",
                       r.default_branch as "defaultBranch", r.is_private as "isPrivate"
                  from repository r join owner o on o.id = r.owner_id`;

async function readCurrent(tx: Tx, connectionId: number, facts: RepositoryFacts, ownerId: number): Promise<{ id: number; isUpToDate: boolean } | undefined> {
  const found = await tx.sql.query<{ id: number; isUpToDate: boolean }>({
    name: 'repository-current',
    text: `select id, (owner_id, forge_full_name, name, default_branch, is_private) = ($3, $4, $5, $6, $7) as "isUpToDate"
             from repository where connection_id = $1 and forge_repository_id = $2`,
    values: [connectionId, facts.forgeRepositoryId, ownerId, facts.fullName, facts.name, facts.defaultBranch, facts.isPrivate],
  });
  return found.rows[0];
}

/**
 * A forge gives a full name to one repository at a time: if another record of this connection has the same one, that repository
 * was renamed or deleted without our hearing of it. It keeps its id, and gets its new name when it is next heard of.
 */
async function moveStaleNameAside(tx: Tx, connectionId: number, facts: RepositoryFacts, ownerId: number): Promise<void> {
  await tx.sql.query({
    name: 'repository-move-aside',
    text: `update repository set name = name || '~' || id, lower_name = lower_name || '~' || id, updated_at = now()
            where owner_id = $1 and lower_name = $2 and connection_id = $3 and forge_repository_id <> $4 and lower(forge_full_name) = $5`,
    values: [ownerId, facts.name.toLowerCase(), connectionId, facts.forgeRepositoryId, facts.fullName.toLowerCase()],
  });
}

async function insert(tx: Tx, connectionId: number, facts: RepositoryFacts, ownerId: number): Promise<number | undefined> {
  const added = await tx.sql.query<{ id: number }>({
    name: 'repository-insert',
    text: `insert into repository (connection_id, forge_repository_id, owner_id, forge_full_name, name, lower_name, default_branch, is_private)
           values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning id`,
    values: [connectionId, facts.forgeRepositoryId, ...namesOf(facts, ownerId)],
  });
  return added.rows[0]?.id;
}

async function update(tx: Tx, id: number, facts: RepositoryFacts, ownerId: number): Promise<number> {
  try {
    await tx.sql.query({
      name: 'repository-update',
      text: `update repository set owner_id = $2, forge_full_name = $3, name = $4, lower_name = $5, default_branch = $6, is_private = $7, updated_at = now()
              where id = $1`,
      values: [id, ...namesOf(facts, ownerId)],
    });
  } catch (error) {
    throw (error as { code?: unknown }).code === UNIQUE_VIOLATION ? nameIsTaken(facts, error) : error;
  }
  return id;
}

function namesOf(facts: RepositoryFacts, ownerId: number): readonly unknown[] {
  return [ownerId, facts.fullName, facts.name, facts.name.toLowerCase(), facts.defaultBranch, facts.isPrivate];
}

function nameIsTaken(facts: RepositoryFacts, cause?: unknown): Failure {
  return new Failure(
    'conflict',
    `"${facts.fullName}" would be called like another repository of its owner here. Rename one of them, or connect the forge without a shared namespace.`,
    { cause },
  );
}
