import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SharedCache, Subscriber } from './shared-cache';

/** Two members of one installation; in one process both are the same object. */
export interface Members {
  readonly here: SharedCache;
  readonly there: SharedCache;
}

/** What every adapter promises. `connect` gets the error hook of both members. */
export function describeSharedCache(name: string, connect: (onError: (error: unknown) => void) => Promise<Members>): void {
  describe(name, () => {
    let members: Members;
    let errors: unknown[];
    let channel: string;

    beforeEach(async () => {
      errors = [];
      members = await connect((error) => errors.push(error));
      channel = `log:${randomUUID()}`;
    });

    afterEach(() => Promise.all([members.here.close(), members.there.close()]));

    it('brings messages to every subscriber of the channel, in order', async () => {
      const first = inbox();
      const second = inbox();
      await members.here.subscribe(channel, first.subscriber);
      await members.here.subscribe(channel, second.subscriber);

      const numbers = Array.from({ length: 200 }, (_, number) => String(number));
      for (const number of numbers) expect(await members.there.publish(channel, number)).toBe(true);

      expect(await first.received(200)).toEqual(numbers);
      expect(await second.received(200)).toEqual(numbers);
      expect(first.gaps() + second.gaps()).toBe(0);
    });

    it.each([
      ['every byte', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
      ['64 KiB', randomBytes(65_536)],
      ['nothing', Buffer.alloc(0)],
      ['text', 'Prüfung läuft… ✓'],
    ])('keeps %s as it was', async (_, message) => {
      let arrived: (message: Buffer) => void = () => undefined;
      const arrival = new Promise<Buffer>((resolve) => (arrived = resolve));
      await members.here.subscribe(channel, { onMessage: arrived, onGap: () => undefined });

      await members.there.publish(channel, message);

      expect((await arrival).toString('hex')).toBe(Buffer.from(message).toString('hex'));
    });

    it('keeps channels apart', async () => {
      const mine = inbox();
      await members.here.subscribe(channel, mine.subscriber);
      await members.here.subscribe(`${channel}:other`, inbox().subscriber);

      await members.there.publish(`${channel}:other`, 'not mine');
      await members.there.publish(channel, 'mine');

      expect(await mine.received(1)).toEqual(['mine']);
    });

    it('takes a message that nobody listens to', async () => {
      expect(await members.there.publish(channel, 'hello?')).toBe(true);
    });

    it('stops at once for who unsubscribes, and goes on for the others', async () => {
      const leaving = inbox();
      const staying = inbox();
      const unsubscribe = await members.here.subscribe(channel, leaving.subscriber);
      await members.here.subscribe(channel, staying.subscriber);

      unsubscribe();
      unsubscribe();
      await members.there.publish(channel, 'after');

      expect(await staying.received(1)).toEqual(['after']);
      expect(leaving.messages()).toEqual([]);
    });

    it('can be subscribed again after the last subscriber left', async () => {
      const unsubscribe = await members.here.subscribe(channel, inbox().subscriber);
      unsubscribe();
      const again = inbox();

      await members.here.subscribe(channel, again.subscriber);
      await members.there.publish(channel, 'again');

      expect(await again.received(1)).toEqual(['again']);
    });

    it('counts two subscriptions of one subscriber as two', async () => {
      const twice = inbox();
      const unsubscribe = await members.here.subscribe(channel, twice.subscriber);
      await members.here.subscribe(channel, twice.subscriber);

      await members.there.publish(channel, 'a');
      expect(await twice.received(2)).toEqual(['a', 'a']);
      unsubscribe();
      await members.there.publish(channel, 'b');

      expect(await twice.received(3)).toEqual(['a', 'a', 'b']);
    });

    it('reports a subscriber that throws and goes on', async () => {
      const other = inbox();
      const fault = new Error('a subscriber broke');
      const broken: Subscriber = {
        onMessage: () => {
          throw fault;
        },
        onGap: () => undefined,
      };
      await members.here.subscribe(channel, broken);
      await members.here.subscribe(channel, other.subscriber);

      await members.there.publish(channel, 'one');
      await members.there.publish(channel, 'two');

      expect(await other.received(2)).toEqual(['one', 'two']);
      expect(errors).toEqual([fault, fault]);
    });

    it('is ready until it is closed, and then publishes to nobody', async () => {
      await expect(members.there.check()).resolves.toBeUndefined();

      await members.there.close();

      await expect(members.there.check()).rejects.toMatchObject({ code: 'unavailable' });
      expect(await members.there.publish(channel, 'too late')).toBe(false);
    });
  });
}

/** Collects what a subscriber hears; `received` waits until it is at least that many. */
export function inbox() {
  const messages: string[] = [];
  let gaps = 0;
  let changed: () => void = () => undefined;
  const until = async (isEnough: () => boolean): Promise<void> => {
    while (!isEnough()) await new Promise<void>((resolve) => (changed = resolve));
  };
  const subscriber: Subscriber = {
    onMessage: (message) => {
      messages.push(message.toString());
      changed();
    },
    onGap: () => {
      gaps += 1;
      changed();
    },
  };
  return {
    subscriber,
    messages: (): readonly string[] => messages,
    gaps: (): number => gaps,
    received: async (count: number): Promise<readonly string[]> => {
      await until(() => messages.length >= count);
      return messages;
    },
    gap: (): Promise<void> => until(() => gaps > 0),
  };
}
