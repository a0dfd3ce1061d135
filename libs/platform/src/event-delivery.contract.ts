import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Consumer, type EventTransport, handleOnce, type Message, publish } from '@triphammer/events';
import { poolOf, transaction } from '@triphammer/models';
import { createTestDatabase, type TestDatabase } from '@triphammer/testing';
import pino from 'pino';
import type { DataSource } from 'typeorm';
import { HintListener } from './hint-listener';
import { OutboxRelay } from './outbox-relay';

const log = pino({ level: 'silent' });

/** Outbox, relay and a transport together: what every event may rely on, whichever transport carries it. */
export function describeEventDelivery(name: string, open: (dataSource: DataSource) => Promise<EventTransport>): void {
  describe(`events over ${name}`, () => {
    let database: TestDatabase;
    let stops: (() => Promise<void> | void)[];
    beforeEach(async () => {
      database = await createTestDatabase();
      stops = [];
    });
    afterEach(async () => {
      for (const stop of stops.reverse()) await stop();
      await database.drop();
    });

    /** One process: relay, listener and these consumers. */
    async function startProcess(consumers: readonly Consumer[]): Promise<OutboxRelay> {
      const transport = await open(database.dataSource);
      const hints = new HintListener(database.dataSource, log);
      const relay = new OutboxRelay(database.dataSource, transport, log);
      hints.onOutbox(() => relay.poke());
      await hints.open();
      await transport.listen(consumers);
      relay.start();
      stops.push(
        () => hints.close(),
        () => transport.close(),
        () => relay.stop(),
      );
      return relay;
    }

    const send = (...runIds: number[]) =>
      transaction(database.dataSource, (tx) =>
        publish(
          tx,
          'run.created',
          runIds.map((runId) => ({ runId })),
        ),
      );

    it('reach each consumer of theirs, and no other', async () => {
      const [first, second, other] = [recorder('run.created', 'first'), recorder('run.created', 'second'), recorder('job.finished', 'other')];
      await startProcess([first.consumer, second.consumer, other.consumer]);

      await send(1, 2, 3);

      await eventually(() =>
        expect([sorted(first.seen), sorted(second.seen)]).toEqual([
          [1, 2, 3],
          [1, 2, 3],
        ]),
      );
      expect(other.seen).toEqual([]);
      await eventually(async () => expect(await count('outbox')).toBe(0));
    });

    it('of a transaction that is rolled back are never sent', async () => {
      const { consumer, seen } = recorder('run.created', 'first');
      await startProcess([consumer]);
      const work = transaction(database.dataSource, async (tx) => {
        await publish(tx, 'run.created', [{ runId: 1 }]);
        throw new Error('no');
      });
      await expect(work).rejects.toThrow('no');

      await send(2);

      await eventually(() => expect(seen).toEqual([2]));
    });

    it('are brought again to the consumer that failed, and to no other', async () => {
      const steady = recorder('run.created', 'steady');
      const seen: number[] = [];
      const shaky: Consumer = {
        event: 'run.created',
        consumer: 'shaky',
        handle: async (message) => {
          seen.push(runIdOf(message));
          if (seen.length < 3) throw new Error('not yet');
        },
      };
      await startProcess([steady.consumer, shaky]);

      await send(7);

      await eventually(() => expect(seen).toEqual([7, 7, 7]));
      await eventually(async () => expect(await count('outbox')).toBe(0));
      expect(steady.seen).toEqual([7]);
    });

    it('do not wait behind one that cannot be handled', async () => {
      const seen: number[] = [];
      const picky: Consumer = {
        event: 'run.created',
        consumer: 'picky',
        handle: async (message) => {
          if (runIdOf(message) === 16) throw new Error('poison');
          seen.push(runIdOf(message));
        },
      };
      await startProcess([picky]);

      // All of one shard.
      await send(16, 32, 48);

      await eventually(() => expect(sorted(seen)).toEqual([32, 48]));
    });

    it('have their effect once, also when they are carried twice', async () => {
      let effects = 0;
      const once: Consumer = {
        event: 'run.created',
        consumer: 'once',
        handle: (message) =>
          handleOnce(database.dataSource, message, async () => {
            effects += 1;
          }),
      };
      const transport = await open(database.dataSource);
      stops.push(() => transport.close());
      await transport.listen([once]);
      const message = { id: 41, event: 'run.created', payload: { runId: 1 }, attempts: 0 };

      await Promise.all([transport.deliver(message), transport.deliver(message)]);
      await transport.deliver(message);

      await eventually(async () => expect(await count('inbox')).toBe(1));
      expect(effects).toBe(1);
    });

    it('of a slow transaction are not passed over by those of faster ones', async () => {
      const { consumer, seen } = recorder('run.created', 'first');
      await startProcess([consumer]);
      let commitSlowly: () => void = () => undefined;
      const slow = transaction(database.dataSource, async (tx) => {
        await publish(tx, 'run.created', [{ runId: 1 }]);
        await new Promise<void>((resolve) => {
          commitSlowly = resolve;
        });
      });
      await send(17);
      await eventually(() => expect(seen).toEqual([17]));

      commitSlowly();
      await slow;

      await eventually(() => expect(seen).toEqual([17, 1]));
    });

    it('are relayed by another process when the one that held the shards is gone', async () => {
      const [here, there] = [recorder('run.created', 'first'), recorder('run.created', 'first')];
      const first = await startProcess([here.consumer]);
      await send(1);
      await eventually(() => expect(here.seen).toEqual([1]));
      await startProcess([there.consumer]);

      await first.stop();
      await send(3);

      await eventually(() => expect(sorted([...here.seen, ...there.seen])).toEqual([1, 3]));
    });

    async function count(table: string): Promise<number> {
      const found = await poolOf(database.dataSource).query<{ count: number }>(`select count(*) from ${table}`);
      return found.rows[0]?.count ?? -1;
    }
  });
}

function recorder(event: string, name: string): { readonly consumer: Consumer; readonly seen: number[] } {
  const seen: number[] = [];
  const handle = async (message: Message) => {
    seen.push(runIdOf(message));
  };
  return { consumer: { event, consumer: name, handle }, seen };
}

function runIdOf(message: Message): number {
  return (message.payload as { runId: number }).runId;
}

function sorted(ids: readonly number[]): readonly number[] {
  return [...ids].sort((a, b) => a - b);
}

async function eventually(check: () => void | Promise<void>): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}
