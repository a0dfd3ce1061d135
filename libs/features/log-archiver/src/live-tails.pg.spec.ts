import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LogWriter, logTime } from '@triphammer/logs';
import { poolOf, type Sql, transaction } from '@triphammer/models';
import { MemorySharedCache } from '@triphammer/shared-cache/memory';
import { createTestDatabase, fakeClock, makeRunner, type TestDatabase } from '@triphammer/testing';
import { LiveTails, type TailEvent } from './live-tails';
import { seedTask } from './log-archiver.harness';
import { logChannel } from './log-channel';

let database: TestDatabase;
let runner: { readonly id: number };
beforeAll(async () => {
  database = await createTestDatabase();
  runner = await makeRunner(database.dataSource, 'runner-a');
});
afterAll(() => database.drop());

const UNUSED_BLOBS = undefined as never;

/** Two processes that share a cache; neither looks by itself, so that only messages connect them. */
function twoProcesses() {
  const cache = new MemorySharedCache((error) => {
    throw error;
  });
  const statements: string[] = [];
  const held: { answers: Promise<void> } = { answers: Promise.resolve() };
  const sql: Sql = {
    query: async (statement) => {
      statements.push(statement.name ?? '');
      const answer = await poolOf(database.dataSource).query(statement);
      await held.answers;
      return answer as never;
    },
  };
  const writer = new LogWriter({
    sql: poolOf(database.dataSource),
    transact: (work) => transaction(database.dataSource, work),
    clock: fakeClock(),
    limits: { line: 65_536, task: 100_000_000 },
  });
  const append = async (taskId: number, from: number, to: number, noMore = false) => {
    const batch = Array.from({ length: to - from }, (_, at) => ({ time: logTime(from + at, 0), content: `row ${from + at}` }));
    await writer.append(taskId, { index: from, rows: batch, noMore, secrets: [] });
    await cache.publish(logChannel(taskId), '');
  };
  return { cache, append, tails: new LiveTails({ sql, blobs: UNUSED_BLOBS }, cache), statements, held };
}

/** Follows in the background; `seen` grows with what comes. */
function follow(tails: LiveTails, taskId: number, from = 0) {
  const abort = new AbortController();
  const seen: number[] = [];
  let last: TailEvent | undefined;
  const done = (async () => {
    for await (const event of tails.follow(taskId, from, abort.signal)) {
      last = event;
      if (typeof event === 'object') for (let row = 0; row < event.rows; row += 1) seen.push(event.start + row);
    }
    return last;
  })();
  return { seen, done, stop: () => abort.abort() };
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('followers of one log', () => {
  it('see each row once and in order by messages alone, also with messages close upon another', async () => {
    const { tails, append } = twoProcesses();
    const { taskId } = await seedTask(database, runner);
    const follower = follow(tails, taskId);

    for (let at = 0; at < 200; at += 10) await append(taskId, at, at + 10, at === 190);

    expect(await follower.done).toBe('end');
    expect(follower.seen).toEqual(numbers(0, 200));
  });

  it('see what a message told while the look on account of an earlier one was under way', async () => {
    const { tails, append, statements, held } = twoProcesses();
    const { taskId } = await seedTask(database, runner);
    await append(taskId, 0, 1);
    const follower = follow(tails, taskId);
    await until(() => follower.seen.length === 1);
    let release: () => void = () => undefined;
    held.answers = new Promise((resolve) => {
      release = resolve;
    });

    statements.length = 0;
    await append(taskId, 1, 2);
    await until(() => statements.includes('log-progress'));
    await append(taskId, 2, 3, true);
    release();

    expect(await follower.done).toBe('end');
    expect(follower.seen).toEqual([0, 1, 2]);
  });

  it('cost as many looks and reads as one', async () => {
    const { tails, append, statements } = twoProcesses();
    const { taskId } = await seedTask(database, runner);
    await append(taskId, 0, 3);
    const followers = Array.from({ length: 20 }, () => follow(tails, taskId));
    await until(() => followers.every((follower) => follower.seen.length === 3));

    await append(taskId, 3, 6, true);
    await Promise.all(followers.map((follower) => follower.done));

    expect(followers.map((follower) => follower.seen)).toEqual(followers.map(() => numbers(0, 6)));
    expect(statements.filter((name) => name === 'log-progress')).toHaveLength(2);
    expect(statements.filter((name) => name === 'log-read-hot')).toHaveLength(2);
  });

  it('that have gone are listened for no longer', async () => {
    const { tails, append, statements } = twoProcesses();
    const { taskId } = await seedTask(database, runner);
    const followers = [follow(tails, taskId), follow(tails, taskId)];
    await append(taskId, 0, 1);
    await until(() => followers.every((follower) => follower.seen.length === 1));

    for (const follower of followers) follower.stop();
    await Promise.all(followers.map((follower) => follower.done));
    const before = statements.length;
    await append(taskId, 1, 2);
    await new Promise((resolve) => setImmediate(resolve));

    expect(statements.length).toBe(before);
  });

  it('hear that the database is away, and may come again', async () => {
    const { taskId } = await seedTask(database, runner);
    let isAway = true;
    const sql: Sql = { query: (statement) => (isAway ? Promise.reject(new Error('away')) : poolOf(database.dataSource).query(statement)) };
    const tails = new LiveTails({ sql, blobs: UNUSED_BLOBS }, twoProcesses().cache);

    await expect(follow(tails, taskId).done).rejects.toThrow('away');
    isAway = false;
    const again = follow(tails, taskId);
    again.stop();

    await expect(again.done).resolves.toBeUndefined();
  });
});
