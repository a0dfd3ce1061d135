import { Failure } from '@triphammer/foundation';
import type { Tx } from '@triphammer/models';
import type { DeliveryStatus } from '@triphammer/models/forges';
import { type ForgeEvent, isZeroId } from './forge-event';
import { type TriggerTrace, traceOnArrival } from './trigger-trace';

/** Replaying a delivery by hand makes a new delivery id; so long the same push is taken for a replay. */
const REPLAY_WINDOW_MS = 10 * 60_000;
const NO_COMMIT = '0'.repeat(40);

export interface NewDelivery {
  readonly connectionId: number;
  readonly deliveryKey: string;
  readonly eventName: string;
  /** Null when the body cannot be read. */
  readonly event: ForgeEvent | null;
  readonly repositoryId: number | null;
  /** The exact signed bytes. */
  readonly body: Buffer;
}

export interface StoredDelivery {
  readonly id: number;
  readonly status: DeliveryStatus;
  /** False: the forge has sent this very delivery before, `id` is that one, and nothing was stored. */
  readonly isNew: boolean;
  /** The delivery that this new one only repeats. */
  readonly duplicateOf: number | null;
}

/**
 * Stores a webhook. A delivery that was stored before is found, also when it comes twice at once on two replicas; a push that
 * another delivery reported a moment ago is stored as its `duplicate`; what can start nothing is `evaluated` at once. Only
 * `received` ones have to be evaluated. Throws `not-found` when the connection was removed meanwhile.
 */
export async function storeDelivery(tx: Tx, delivery: NewDelivery & { readonly event: ForgeEvent }, now: Date): Promise<StoredDelivery> {
  await holdConnection(tx, delivery.connectionId);
  const duplicateOf = await findOriginal(tx, delivery, now);
  if (duplicateOf !== null) {
    const trace = { code: 'duplicate', text: `Delivery ${duplicateOf} reported this push already.` };
    return insertDelivery(tx, delivery, { status: 'duplicate', trace, duplicateOf }, now);
  }
  const trace = traceOnArrival(delivery.event);
  return insertDelivery(tx, delivery, trace ? { status: 'evaluated', trace } : { status: 'received' }, now);
}

/** Keeps a signed webhook that cannot be evaluated, so that people see it and the reason. */
export async function storeRefusedDelivery(tx: Tx, delivery: NewDelivery, reason: string, now: Date): Promise<StoredDelivery> {
  await holdConnection(tx, delivery.connectionId);
  return insertDelivery(tx, delivery, { status: 'refused', trace: { code: 'refused', text: reason } }, now);
}

async function holdConnection(tx: Tx, id: number): Promise<void> {
  const found = await tx.sql.query({ name: 'connection-hold', text: 'select from forge_connection where id = $1 for key share', values: [id] });
  if (found.rowCount === 0) throw new Failure('not-found', `There is no forge connection ${id}.`);
}

/**
 * The delivery that reported the same move of the same ref within the window. A ref that was moved there, back, and there again
 * makes the same move twice in earnest: then the last thing known of the ref is that it was where this push starts.
 */
async function findOriginal(
  tx: Tx,
  { event, repositoryId, deliveryKey, connectionId }: NewDelivery & { event: ForgeEvent },
  now: Date,
): Promise<number | null> {
  const { push } = event;
  if (!push || push.isTest || repositoryId === null) return null;
  // Two replicas that take the same push in at once take turns from here on.
  await tx.sql.query({ name: 'delivery-turns', text: 'select from repository where id = $1 for no key update', values: [repositoryId] });
  const recent = await tx.sql.query<{ id: number; before: string | null; after: string }>({
    name: 'delivery-recent-moves',
    text: `select id, before, after from delivery
            where repository_id = $1 and ref = $2 and received_at > $3 and after is not null and status <> 'duplicate'
              and (connection_id, delivery_key) <> ($4, $5)
            order by id desc`,
    values: [repositoryId, push.ref, new Date(now.getTime() - REPLAY_WINDOW_MS), connectionId, deliveryKey],
  });
  const original = recent.rows.find((row) => row.before === push.before && row.after === push.after);
  const latest = recent.rows[0];
  return original && latest && !isSameCommit(latest.after, push.before) ? original.id : null;
}

function isSameCommit(a: string, b: string): boolean {
  return a === b || (isZeroId(a) && isZeroId(b));
}

interface Verdict {
  readonly status: DeliveryStatus;
  readonly trace?: TriggerTrace;
  readonly duplicateOf?: number;
}

async function insertDelivery(tx: Tx, delivery: NewDelivery, { status, trace, duplicateOf }: Verdict, now: Date): Promise<StoredDelivery> {
  const { event } = delivery;
  const added = await tx.sql.query<{ id: number }>({
    name: 'delivery-insert',
    text: `insert into delivery (connection_id, delivery_key, event, action, repository_id, ref, sha, before, after, body, status, trace, duplicate_of, received_at, evaluated_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) on conflict (connection_id, delivery_key) do nothing returning id`,
    values: [
      delivery.connectionId,
      delivery.deliveryKey,
      delivery.eventName,
      event?.action ?? null,
      delivery.repositoryId,
      event?.ref ?? null,
      event?.sha ?? null,
      ...moveOf(event),
      delivery.body,
      status,
      trace ? JSON.stringify(trace) : null,
      duplicateOf ?? null,
      now,
      trace ? now : null,
    ],
  });
  const id = added.rows[0]?.id;
  return id === undefined ? findStored(tx, delivery) : { id, status, isNew: true, duplicateOf: duplicateOf ?? null };
}

/** Where the ref came from and went to; a deletion reports itself by an event of its own. */
function moveOf(event: ForgeEvent | null): readonly [before: string | null, after: string | null] {
  if (event?.push) return [event.push.before, event.push.after];
  return [null, event?.event === 'delete' ? NO_COMMIT : null];
}

/** `on conflict` has waited for the transaction that stored it, so this next statement sees it. */
async function findStored(tx: Tx, { connectionId, deliveryKey }: NewDelivery): Promise<StoredDelivery> {
  const found = await tx.sql.query<{ id: number; status: DeliveryStatus; duplicateOf: number | null }>({
    name: 'delivery-by-key',
    text: 'select id, status, duplicate_of as "duplicateOf" from delivery where connection_id = $1 and delivery_key = $2',
    values: [connectionId, deliveryKey],
  });
  const row = found.rows[0];
  if (!row) throw new Failure('unavailable', 'The delivery was removed while it came a second time. Send it again.');
  return { ...row, isNew: false };
}
