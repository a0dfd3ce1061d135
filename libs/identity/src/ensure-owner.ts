import { Failure } from '@triphammer/foundation';
import type { Tx } from '@triphammer/models';

const UNIQUE_VIOLATION = '23505';

export interface ForgeOwner {
  readonly connectionId: number;
  /** The forge's own, lasting id of the user or organisation. */
  readonly forgeOwnerId: string;
  readonly name: string;
}

export interface OwnerRecord {
  readonly id: number;
  readonly name: string;
}

/**
 * Our owner for an owner of a forge; made when it is new, renamed when the forge renamed it. Any number of transactions may ask
 * for the same one at once. Throws `conflict` when the name belongs to another connection or to a local owner.
 */
export async function ensureOwner(tx: Tx, owner: ForgeOwner): Promise<OwnerRecord> {
  const known = await findOwner(tx, owner);
  if (known?.name === owner.name) return known;
  await moveStaleNameAside(tx, owner);
  if (known) return renameOwner(tx, known.id, owner);
  return (await insertOwner(tx, owner)) ?? (await adoptOwner(tx, owner));
}

async function findOwner(tx: Tx, { connectionId, forgeOwnerId }: ForgeOwner): Promise<OwnerRecord | undefined> {
  const found = await tx.sql.query<{ id: number; name: string }>({
    name: 'owner-by-forge',
    text: 'select id, name from owner where connection_id = $1 and forge_owner_id = $2',
    values: [connectionId, forgeOwnerId],
  });
  return found.rows[0];
}

/**
 * Within one forge a name belongs to one owner at a time: if another of the same connection still has it here, that one was
 * renamed or deleted without our hearing of it. It keeps its id, and gets its new name when it is next heard of.
 */
async function moveStaleNameAside(tx: Tx, owner: ForgeOwner): Promise<void> {
  await tx.sql.query({
    name: 'owner-move-aside',
    text: `update owner set name = name || '~' || id, lower_name = lower_name || '~' || id
            where lower_name = $1 and connection_id = $2 and forge_owner_id <> $3`,
    values: [owner.name.toLowerCase(), owner.connectionId, owner.forgeOwnerId],
  });
}

/** Undefined when either name or forge id is taken; `on conflict` without a target waits for whoever is taking it right now. */
async function insertOwner(tx: Tx, owner: ForgeOwner): Promise<OwnerRecord | undefined> {
  const added = await tx.sql.query<{ id: number; name: string }>({
    name: 'owner-insert',
    text: `insert into owner (name, lower_name, connection_id, forge_owner_id) values ($1, $2, $3, $4)
           on conflict do nothing returning id, name`,
    values: [owner.name, owner.name.toLowerCase(), owner.connectionId, owner.forgeOwnerId],
  });
  return added.rows[0];
}

/** The row that stood in the way: the same owner, made by another transaction meanwhile, or somebody else's name. */
async function adoptOwner(tx: Tx, owner: ForgeOwner): Promise<OwnerRecord> {
  const known = await findOwner(tx, owner);
  if (!known) throw nameIsTaken(owner);
  return known.name === owner.name ? known : renameOwner(tx, known.id, owner);
}

async function renameOwner(tx: Tx, id: number, owner: ForgeOwner): Promise<OwnerRecord> {
  try {
    await tx.sql.query({
      name: 'owner-rename',
      text: 'update owner set name = $2, lower_name = $3 where id = $1',
      values: [id, owner.name, owner.name.toLowerCase()],
    });
  } catch (error) {
    throw (error as { code?: unknown }).code === UNIQUE_VIOLATION ? nameIsTaken(owner, error) : error;
  }
  return { id, name: owner.name };
}

function nameIsTaken(owner: ForgeOwner, cause?: unknown): Failure {
  return new Failure(
    'conflict',
    `The owner name "${owner.name}" is already in use here by another forge connection or a local owner. Connect this forge under a name of its own: \`forge add --namespace NAME\`.`,
    { cause },
  );
}
