import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LocalTransport } from '@triphammer/events/local';
import { poolOf } from '@triphammer/models';
import { createTestDatabase, type TestDatabase } from '@triphammer/testing';
import pino from 'pino';
import { describeEventDelivery } from './event-delivery.contract';

const log = pino({ level: 'silent' });

describeEventDelivery('the local transport', async (dataSource) => new LocalTransport(dataSource, log));

describe('a message that a consumer cannot handle', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  it('becomes a dead letter at its last try, and leaves the outbox', async () => {
    const transport = new LocalTransport(database.dataSource, log);
    await transport.listen([
      {
        event: 'run.created',
        consumer: 'picky',
        handle: async () => {
          throw new Error('never');
        },
      },
    ]);
    const message = { id: 9, event: 'run.created', payload: { runId: 1 } };

    await expect(transport.deliver({ ...message, attempts: 10 })).rejects.toThrow('never');
    await transport.deliver({ ...message, attempts: 11 });

    const letters = await poolOf(database.dataSource).query('select consumer, message_id, event, payload, error, attempts from dead_letter');
    expect(letters.rows).toEqual([{ consumer: 'picky', message_id: 9, event: 'run.created', payload: { runId: 1 }, error: 'Error: never', attempts: 12 }]);
  });
});
