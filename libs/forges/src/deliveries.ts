import { Failure } from '@triphammer/foundation';
import type { Sql, Tx } from '@triphammer/models';
import type { DeliveryStatus, ForgeConnection } from '@triphammer/models/forges';
import { readConnection } from './connections';
import type { ForgeEvent } from './forge-event';
import type { TriggerTrace } from './trigger-trace';
import { readForgeEvent } from './webhook';

export interface DeliveryRecord {
  readonly id: number;
  readonly connectionId: number;
  readonly connectionName: string;
  readonly deliveryKey: string;
  readonly event: string;
  readonly action: string | null;
  readonly repositoryId: number | null;
  /** `owner/name`, as our URLs call it. */
  readonly repositoryName: string | null;
  readonly ref: string | null;
  readonly sha: string | null;
  readonly status: DeliveryStatus;
  readonly duplicateOf: number | null;
  readonly receivedAt: Date;
  readonly evaluatedAt: Date | null;
}

export interface DeliveryFilter {
  readonly connectionId?: number | undefined;
  readonly repositoryId?: number | undefined;
  readonly sha?: string | undefined;
}

/** Newest first, with the number of all that fit. */
export async function listDeliveries(
  sql: Sql,
  filter: DeliveryFilter,
  window: { readonly page: number; readonly limit: number },
): Promise<{ readonly deliveries: readonly DeliveryRecord[]; readonly total: number }> {
  const { where, values } = conditions(filter);
  const total = await sql.query<{ total: number }>({ text: `select count(*) as total from delivery d ${where}`, values: [...values] });
  const found = await sql.query<Row>({
    text: `${SELECT} ${where} order by d.id desc limit $${values.length + 1} offset $${values.length + 2}`,
    values: [...values, window.limit, (window.page - 1) * window.limit],
  });
  return { deliveries: found.rows, total: total.rows[0]?.total ?? 0 };
}

/** With its trace, null until it was evaluated. Throws `not-found`. */
export async function readDelivery(sql: Sql, id: number): Promise<DeliveryRecord & { readonly trace: TriggerTrace | null }> {
  const found = await sql.query<Row & { trace: TriggerTrace | null }>({
    name: 'delivery-by-id',
    text: `${SELECT.replace('select', 'select d.trace,')} where d.id = $1`,
    values: [id],
  });
  if (!found.rows[0]) throw new Failure('not-found', `There is no delivery ${id}.`);
  return found.rows[0];
}

/** A delivery with what it says, read anew from its stored bytes; for evaluating it. */
export async function readDeliveredEvent(
  tx: Tx,
  id: number,
): Promise<{ readonly delivery: DeliveryRecord; readonly connection: ForgeConnection; readonly event: ForgeEvent }> {
  const delivery = await readDelivery(tx.sql, id);
  const connection = await readConnection(tx, delivery.connectionId);
  const stored = await tx.sql.query<{ body: Buffer }>({ name: 'delivery-body', text: 'select body from delivery where id = $1', values: [id] });
  return { delivery, connection, event: readForgeEvent(connection, delivery.event, stored.rows[0]?.body ?? Buffer.alloc(0)) };
}

/** Ends the evaluation of a received delivery. False when it has been ended before; then nothing changes. */
export async function recordTrace(tx: Tx, deliveryId: number, status: 'evaluated' | 'refused', trace: TriggerTrace, now: Date): Promise<boolean> {
  const changed = await tx.sql.query({
    name: 'delivery-record-trace',
    text: `update delivery set status = $2, trace = $3, evaluated_at = $4 where id = $1 and status = 'received'`,
    values: [deliveryId, status, JSON.stringify(trace), now],
  });
  return changed.rowCount === 1;
}

type Row = { -readonly [Key in keyof DeliveryRecord]: DeliveryRecord[Key] };

const SELECT = `select d.id, d.connection_id as "connectionId", c.name as "connectionName", d.delivery_key as "deliveryKey", d.event, d.action,
                       d.repository_id as "repositoryId", o.name || '/' || r.name as "repositoryName", d.ref, d.sha, d.status,
                       d.duplicate_of as "duplicateOf", d.received_at as "receivedAt", d.evaluated_at as "evaluatedAt"
                  from delivery d join forge_connection c on c.id = d.connection_id
                       left join repository r on r.id = d.repository_id left join owner o on o.id = r.owner_id`;

const COLUMNS = [
  ['connectionId', 'd.connection_id'],
  ['repositoryId', 'd.repository_id'],
  ['sha', 'd.sha'],
] as const satisfies readonly (readonly [keyof DeliveryFilter, string])[];

function conditions(filter: DeliveryFilter): { readonly where: string; readonly values: readonly unknown[] } {
  const given = COLUMNS.filter(([key]) => filter[key] !== undefined);
  const where = given.map(([, column], index) => `${column} = $${index + 1}`).join(' and ');
  return { where: where === '' ? '' : `where ${where}`, values: given.map(([key]) => filter[key]) };
}
