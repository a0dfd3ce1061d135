import { type Tx, transaction } from '@triphammer/models';
import type { DataSource } from 'typeorm';
import type { Message } from './message';

/**
 * Runs `work` in a transaction that also records that this consumer is done with this message. A message that comes
 * again, also at the same time on another replica, finds the record and does nothing.
 */
export async function handleOnce(dataSource: DataSource, message: Message, work: (tx: Tx) => Promise<void>): Promise<void> {
  await transaction(dataSource, async (tx) => {
    if (await claimMessage(tx, message)) await work(tx);
  });
}

async function claimMessage(tx: Tx, message: Message): Promise<boolean> {
  const added = await tx.sql.query({
    name: 'inbox-claim',
    text: 'insert into inbox (consumer, message_id) values ($1, $2) on conflict do nothing',
    values: [message.consumer, message.id],
  });
  return added.rowCount === 1;
}
