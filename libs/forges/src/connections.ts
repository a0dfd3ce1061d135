import { Failure, newToken } from '@triphammer/foundation';
import type { Tx } from '@triphammer/models';
import { Delivery, ForgeConnection, type ForgeKind } from '@triphammer/models/forges';
import { normalizeAddress } from './connection-address';
import type { RepositoryFacts } from './forge-event';
import type { SecretBox } from './secret-box';
import { NAME_PART } from './wire-text';

export interface NewConnection {
  readonly kind: ForgeKind;
  readonly name: string;
  readonly url: string;
  readonly namespace?: string | undefined;
  readonly username?: string | undefined;
  readonly token?: string | undefined;
  /** Of the webhook; made up when absent. */
  readonly secret?: string | undefined;
}

/** A new connection whose parts are known to fit together; not yet stored. */
export type CheckedConnection = Pick<ForgeConnection, 'kind' | 'name' | 'url' | 'namespace' | 'username'> & {
  readonly token: string | null;
  readonly secret: string;
};

/** The hook script works with at most one block of SHA-256. */
const SECRET = /^[\x21-\x7e]{16,64}$/;

/** Checks and completes what a person entered. Throws `invalid-input`. */
export function checkConnection(given: NewConnection): CheckedConnection {
  const connection: CheckedConnection = {
    kind: given.kind,
    name: checkName('The name', given.name),
    url: normalizeAddress(given.kind, given.url),
    namespace: given.namespace === undefined ? null : checkName('The namespace', given.namespace),
    username: given.username ?? null,
    token: given.token ?? null,
    secret: given.secret ?? newToken(),
  };
  if (!SECRET.test(connection.secret)) throw new Failure('invalid-input', 'The webhook secret must have 16 to 64 characters, without blanks.');
  if (connection.kind === 'gitea' && connection.token === null) {
    throw new Failure('invalid-input', 'A Gitea or Forgejo connection needs the access token of a bot account (scopes read:user and write:repository).');
  }
  if (connection.url.startsWith('/') && (connection.token !== null || connection.username !== null)) {
    throw new Failure('invalid-input', 'A folder on this machine needs no user name and no token.');
  }
  return connection;
}

/** Stores a connection with its secrets sealed. Throws `conflict` when its name is taken. */
export async function addConnection(tx: Tx, secrets: SecretBox, connection: CheckedConnection): Promise<ForgeConnection> {
  const { kind, name, url, namespace, username, token, secret } = connection;
  const sealed = {
    tokenCiphertext: token === null ? null : secrets.seal(token, tokenContext(name)),
    webhookSecretCiphertext: secrets.seal(secret, secretContext(name)),
  };
  const row = { kind, name, url, namespace, username, ...sealed };
  const added = await tx.manager.createQueryBuilder().insert().into(ForgeConnection).values(row).orIgnore().returning('id').execute();
  const id = (added.raw as { id: number }[])[0]?.id;
  if (id === undefined) throw new Failure('conflict', `There is already a forge connection called "${name}".`);
  return readConnection(tx, id);
}

export async function listConnections(tx: Tx): Promise<readonly ForgeConnection[]> {
  return tx.manager.find(ForgeConnection, { order: { id: 'ASC' } });
}

export async function findConnection(tx: Tx, id: number): Promise<ForgeConnection | null> {
  return tx.manager.findOneBy(ForgeConnection, { id });
}

/** Throws `not-found`. */
export async function readConnection(tx: Tx, id: number): Promise<ForgeConnection> {
  const found = await findConnection(tx, id);
  if (!found) throw new Failure('not-found', `There is no forge connection ${id}.`);
  return found;
}

/** Removes a connection that was never of use, and what it delivered. Throws `conflict` when it has repositories, for their runs would lose them. */
export async function removeConnection(tx: Tx, id: number): Promise<void> {
  // A delivery that is being stored holds this row, see storeDelivery: its repository is seen below, or it finds no connection.
  const found = await tx.manager.findOne(ForgeConnection, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (!found) throw new Failure('not-found', `There is no forge connection ${id}.`);
  const repositories = await tx.sql.query({ text: 'select from repository where connection_id = $1 limit 1', values: [id] });
  if (repositories.rowCount !== 0) {
    throw new Failure('conflict', `The forge connection "${found.name}" has repositories, whose runs are kept. To stop it, remove its webhook at the forge.`);
  }
  await tx.manager.delete(Delivery, { connectionId: id });
  await tx.manager.delete(ForgeConnection, { id });
}

/** The secret that the forge signs with. */
export function openWebhookSecret(secrets: SecretBox, connection: ForgeConnection): string {
  return secrets.open(connection.webhookSecretCiphertext, secretContext(connection.name));
}

export function openToken(secrets: SecretBox, connection: ForgeConnection): string | null {
  return connection.tokenCiphertext === null ? null : secrets.open(connection.tokenCiphertext, tokenContext(connection.name));
}

/** The owner of ours that a forge's repository belongs to: its forge owner, or the one namespace of the whole connection. */
export function ownerOf(
  connection: Pick<ForgeConnection, 'id' | 'namespace'>,
  facts: RepositoryFacts,
): { readonly connectionId: number; readonly forgeOwnerId: string; readonly name: string } {
  const { id: connectionId, namespace } = connection;
  if (namespace !== null) return { connectionId, forgeOwnerId: '*', name: namespace };
  return { connectionId, forgeOwnerId: facts.forgeOwnerId, name: facts.ownerName };
}

function checkName(what: string, name: string): string {
  const result = NAME_PART.safeParse(name);
  if (result.success) return name;
  throw new Failure('invalid-input', `${what} "${name.slice(0, 200)}" ${result.error.issues[0]?.message}.`);
}

function tokenContext(name: string): string {
  return `forge connection "${name}", token`;
}

function secretContext(name: string): string {
  return `forge connection "${name}", webhook secret`;
}
