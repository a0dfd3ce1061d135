import { randomUUID } from 'node:crypto';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { raise } from '@triphammer/foundation';
import { Redis } from 'ioredis';
import { type Heartbeat, RedisSharedCache } from './redis';
import { describeSharedCache, inbox } from './shared-cache.contract';

const REDIS_URL = process.env['TEST_REDIS_URL'] ?? raise('set TEST_REDIS_URL to a Redis server');

describeSharedCache('the shared cache on Redis', async (onError) => ({
  here: await RedisSharedCache.connect(REDIS_URL, onError),
  there: await RedisSharedCache.connect(REDIS_URL, onError),
}));

describe('the shared cache and its Redis', () => {
  let line: Line;
  let errors: unknown[];
  let faraway: RedisSharedCache;
  let opened: RedisSharedCache[];
  let channel: string;

  beforeEach(async () => {
    line = await openLine(REDIS_URL);
    errors = [];
    opened = [];
    channel = `log:${randomUUID()}`;
    faraway = await open(REDIS_URL);
  });

  afterEach(async () => {
    await Promise.all(opened.map((cache) => cache.close()));
    await line.close();
  });

  it('tells subscribers of the gap once they hear again', async () => {
    const cache = await open(line.url);
    const tail = inbox();
    await cache.subscribe(channel, tail.subscriber);

    await line.cut();
    await faraway.publish(channel, 'missed');
    await line.restore();
    await tail.gap();
    await faraway.publish(channel, 'heard');

    expect(await tail.received(1)).toEqual(['heard']);
    expect(tail.gaps()).toBe(1);
  });

  it('does not say gap to who left during the outage', async () => {
    const cache = await open(line.url);
    const [left, stays] = [inbox(), inbox()];
    const unsubscribe = await cache.subscribe(channel, left.subscriber);
    await cache.subscribe(channel, stays.subscriber);

    await line.cut();
    unsubscribe();
    await line.restore();
    await stays.gap();

    expect(left.gaps()).toBe(0);
  });

  it('takes a subscriber during the outage and says gap when listening begins', async () => {
    const cache = await open(line.url);
    const tail = inbox();

    await line.cut();
    await cache.subscribe(channel, tail.subscriber);
    expect(tail.gaps()).toBe(0);
    await line.restore();
    await tail.gap();
    await faraway.publish(channel, 'heard');

    expect(await tail.received(1)).toEqual(['heard']);
  });

  it('fails softly: publishes say false at once, readiness says why', async () => {
    const cache = await open(line.url);
    await line.cut();
    await until(() => errors.length > 0);

    const sent = await Promise.all(Array.from({ length: 100 }, () => cache.publish(channel, 'x')));

    expect(new Set(sent)).toEqual(new Set([false]));
    await expect(cache.check()).rejects.toMatchObject({ code: 'unavailable', message: 'Redis, the shared cache, does not answer' });
  });

  it('starts without Redis and works when it comes', async () => {
    await line.cut();

    const cache = await open(line.url);
    const tail = inbox();
    await cache.subscribe(channel, tail.subscriber);
    await line.restore();
    await tail.gap();
    await until(() => cache.publish(channel, 'sent'));

    expect(await tail.received(1)).toEqual(['sent']);
  });

  it('gives up a connection that stays open but answers nothing', async () => {
    const cache = await open(line.url, { everyMs: 200, answerWithinMs: 100 });
    const tail = inbox();
    await cache.subscribe(channel, tail.subscriber);

    line.freeze();
    await tail.gap();
    await faraway.publish(channel, 'heard');

    expect(await tail.received(1)).toEqual(['heard']);
  });

  it('reports what Redis refuses and keeps the connection', async () => {
    const admin = new Redis(REDIS_URL);
    const user = `guest-${randomUUID()}`;
    await admin.acl('SETUSER', user, 'on', '>secret', '+@all', 'resetchannels');
    const guest = new URL(REDIS_URL);
    guest.username = user;
    guest.password = 'secret';
    const cache = await open(guest.toString());

    expect(await cache.publish(channel, 'forbidden')).toBe(false);

    expect(errors.map(String)).toEqual([expect.stringContaining('NOPERM')]);
    await expect(cache.check()).resolves.toBeUndefined();
    await admin.acl('DELUSER', user);
    admin.disconnect();
  });

  it('keeps installations apart that use different databases of one server', async () => {
    const database5 = new URL(REDIS_URL);
    database5.pathname = '/5';
    const other = await open(database5.toString());
    const [mine, theirs] = [inbox(), inbox()];
    await faraway.subscribe(channel, mine.subscriber);
    await other.subscribe(channel, theirs.subscriber);

    await other.publish(channel, 'theirs');
    await faraway.publish(channel, 'mine');

    expect(await theirs.received(1)).toEqual(['theirs']);
    expect(await mine.received(1)).toEqual(['mine']);
  });

  async function open(url: string, heartbeat?: Heartbeat): Promise<RedisSharedCache> {
    const cache = await RedisSharedCache.connect(url, (error) => errors.push(error), heartbeat);
    opened.push(cache);
    return cache;
  }
});

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** A line to a server that a test can cut, restore and freeze, without harm to others who use the server. */
interface Line {
  readonly url: string;
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** Connections that exist fall silent and stay open; new ones work. */
  freeze(): void;
  close(): Promise<void>;
}

async function openLine(to: string): Promise<Line> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  const server = createServer((caller) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [caller, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    caller.pipe(far).pipe(caller);
  });
  await listen(server, 0);
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : raise('no port');
  const cut = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const near = new URL(to);
  near.port = String(port);
  return {
    url: near.toString(),
    cut,
    restore: () => listen(server, port),
    freeze: () => {
      for (const socket of sockets) socket.unpipe().removeAllListeners('end').pause();
    },
    close: async () => {
      if (server.listening) await cut();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}
