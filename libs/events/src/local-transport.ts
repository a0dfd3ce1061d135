import { poolOf } from '@triphammer/models';
import type { DataSource } from 'typeorm';
import { writeDeadLetter } from './dead-letter';
import { readMessage } from './message';
import { type Consumer, type EventTransport, MAX_TRIES, type OutboxMessage, type TransportLog } from './transport';

/**
 * Delivers straight from the outbox to the consumers of this process. A row counts as delivered when each of them has
 * its inbox row; after a failure only those that lack one are tried again.
 */
export class LocalTransport implements EventTransport {
  private consumers: readonly Consumer[] = [];
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly log: TransportLog,
  ) {}

  async listen(consumers: readonly Consumer[]): Promise<void> {
    this.consumers = consumers;
  }

  async deliver(message: OutboxMessage): Promise<void> {
    const work = this.deliverToAll(message);
    this.underWay.add(work);
    try {
      await work;
    } finally {
      this.underWay.delete(work);
    }
  }

  async check(): Promise<void> {}

  async close(): Promise<void> {
    await Promise.allSettled(this.underWay);
  }

  private async deliverToAll(message: OutboxMessage): Promise<void> {
    const done = await this.doneConsumers(message.id);
    const open = this.consumers.filter((consumer) => consumer.event === message.event && !done.has(consumer.consumer));
    const outcomes = await Promise.allSettled(open.map((consumer) => this.deliverToOne(consumer, message)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private async deliverToOne({ consumer, handle }: Consumer, message: OutboxMessage): Promise<void> {
    try {
      await handle(readMessage(message.id, message.event, consumer, message.payload));
    } catch (error) {
      const attempts = message.attempts + 1;
      this.log.warn({ err: error, consumer, event: message.event, messageId: message.id, attempts }, 'a consumer failed');
      if (attempts < MAX_TRIES) throw error;
      await writeDeadLetter(this.dataSource, { consumer, id: message.id, event: message.event, payload: message.payload, attempts, error });
    }
    await this.recordDone(consumer, message.id);
  }

  private async doneConsumers(messageId: number): Promise<ReadonlySet<string>> {
    const found = await poolOf(this.dataSource).query<{ consumer: string }>({
      name: 'inbox-done',
      text: 'select consumer from inbox where message_id = $1 and consumer = any($2)',
      values: [messageId, this.consumers.map((consumer) => consumer.consumer)],
    });
    return new Set(found.rows.map((row) => row.consumer));
  }

  private async recordDone(consumer: string, messageId: number): Promise<void> {
    await poolOf(this.dataSource).query({
      name: 'inbox-record',
      text: 'insert into inbox (consumer, message_id) values ($1, $2) on conflict do nothing',
      values: [consumer, messageId],
    });
  }
}
