import type { Tx } from '@triphammer/models';
import type { EventName, EventPayload } from './catalogue';

/** Rows are spread over this many shards; each is relayed by one process at a time. */
export const OUTBOX_SHARDS = 16;
/** Wakes the relays when a transaction with events commits. */
export const OUTBOX_CHANNEL = 'triphammer_outbox';

/**
 * Makes events part of the caller's transaction: they are sent if and only if it commits. The shard follows the
 * first id of each payload, so that one aggregate's events share it.
 */
export async function publish<Name extends EventName>(tx: Tx, event: Name, payloads: readonly EventPayload<Name>[]): Promise<void> {
  if (payloads.length === 0) return;
  const shards = payloads.map((payload) => (Object.values(payload)[0] as number) % OUTBOX_SHARDS);
  await tx.sql.query({
    name: 'outbox-publish',
    text: `with added as (
             insert into outbox (event, shard, payload)
             select $1, new.shard, new.payload from unnest($2::smallint[], $3::jsonb[]) as new (shard, payload)
           )
           select pg_notify('${OUTBOX_CHANNEL}', '')`,
    values: [event, shards, payloads.map((payload) => JSON.stringify(payload))],
  });
}
