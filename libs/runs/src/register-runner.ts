import { hint } from '@triphammer/events';
import { Failure, newToken, newUuid, sha256Hex } from '@triphammer/foundation';
import type { Sql, Tx } from '@triphammer/models';
import { RegistrationToken, Runner } from '@triphammer/models/runs';
import { IsNull } from 'typeorm';

export interface Registration {
  readonly token: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly version: string;
  readonly ephemeral: boolean;
  readonly capabilities: readonly string[];
}

const MAX_LABELS = 100;
const MAX_LABEL_LENGTH = 255;
const MAX_NAME_LENGTH = 255;

/** Makes a runner of the registration token's scope. Its own token is returned this once; only the hash is kept. */
export async function registerRunner(tx: Tx, registration: Registration, now: Date): Promise<{ runner: Runner; token: string }> {
  const found = await tx.manager.findOneBy(RegistrationToken, { tokenHash: sha256Hex(registration.token), revokedAt: IsNull() });
  if (!found) throw new Failure('unauthenticated', 'The registration token is unknown or revoked. Ask for a new one: triphammer registration-token create.');
  if (registration.name === '' || registration.name.length > MAX_NAME_LENGTH) {
    throw new Failure('invalid-input', `A runner's name has 1 to ${MAX_NAME_LENGTH} characters.`);
  }
  const token = newToken();
  const runner = await tx.manager.save(
    tx.manager.create(Runner, {
      uuid: newUuid(),
      name: registration.name,
      tokenHash: sha256Hex(token),
      ownerId: found.ownerId,
      repositoryId: found.repositoryId,
      labels: checkLabels(registration.labels),
      capabilities: [...registration.capabilities],
      version: registration.version,
      ephemeral: registration.ephemeral,
      createdAt: now,
      lastSeenAt: now,
    }),
  );
  return { runner, token };
}

/** Replaces what a runner says of itself. */
export async function declareRunner(
  tx: Tx,
  runnerId: number,
  declaration: { readonly version: string; readonly labels: readonly string[]; readonly capabilities: readonly string[] },
  now: Date,
): Promise<Runner> {
  const runner = await tx.manager.findOneByOrFail(Runner, { id: runnerId });
  Object.assign(runner, { ...declaration, labels: checkLabels(declaration.labels), capabilities: [...declaration.capabilities], lastSeenAt: now });
  await tx.manager.save(runner);
  await hint(tx, 'runner.changed', { runnerId });
  return runner;
}

/** The runner gets no further task and its token stops working. */
export async function retireRunner(tx: Tx, runnerId: number, now: Date): Promise<void> {
  await tx.manager.update(Runner, { id: runnerId, retiredAt: IsNull() }, { retiredAt: now });
  await hint(tx, 'runner.changed', { runnerId });
}

/** Whether an ephemeral runner has been given its one task; one that never reached it does not count. */
export async function isSpent(sql: Sql, runnerId: number): Promise<boolean> {
  const found = await sql.query({
    name: 'runner-is-spent',
    text: `select 1 from task where runner_id = $1 and status <> 'abandoned' limit 1`,
    values: [runnerId],
  });
  return found.rows.length > 0;
}

/**
 * Retires the ephemeral runner of a task that is over and whose log is complete. Not before both: its last rows come
 * after the result, or the result after them, and each must still be let in.
 */
export async function retireSpentRunner(tx: Tx, taskId: number, now: Date): Promise<void> {
  const found = await tx.sql.query<{ runnerId: number }>({
    name: 'runner-spent-by-task',
    text: `select runner.id as "runnerId" from task join runner on runner.id = task.runner_id join task_log on task_log.task_id = task.id
            where task.id = $1 and runner.ephemeral and task.status in ('success', 'failure', 'cancelled', 'skipped') and task_log.is_complete`,
    values: [taskId],
  });
  const runner = found.rows[0];
  if (runner) await retireRunner(tx, runner.runnerId, now);
}

/** Makes a registration token; it is returned this once. Without a scope it is for the whole instance. */
export async function createRegistrationToken(
  tx: Tx,
  scope: { readonly ownerId: number | null; readonly repositoryId: number | null },
  now: Date,
): Promise<string> {
  const token = newToken();
  await tx.manager.insert(RegistrationToken, { tokenHash: sha256Hex(token), ...scope, createdAt: now });
  return token;
}

/** Makes sure that a token which the operator chose is valid for the whole instance. */
export async function admitRegistrationToken(tx: Tx, token: string, now: Date): Promise<void> {
  await tx.sql.query({
    name: 'registration-token-admit',
    text: 'insert into registration_token (token_hash, created_at) values ($1, $2) on conflict (token_hash) do nothing',
    values: [sha256Hex(token), now],
  });
}

/** A label on the wire has no schema part; a runner that sends `linux:host` means `linux`. */
function checkLabels(labels: readonly string[]): string[] {
  if (labels.length > MAX_LABELS) throw new Failure('invalid-input', `A runner has at most ${MAX_LABELS} labels.`);
  const names = labels.map((label) => label.split(':')[0]?.trim() ?? '').filter((label) => label !== '');
  const tooLong = names.find((label) => label.length > MAX_LABEL_LENGTH);
  if (tooLong) throw new Failure('invalid-input', `A label has at most ${MAX_LABEL_LENGTH} characters; one begins "${tooLong.slice(0, 40)}".`);
  return [...new Set(names)];
}
