import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { poolOf, read, transaction } from '@triphammer/models';
import { TaskLog, TaskLogChunk } from '@triphammer/models/logs';
import { createTestDatabase, fakeClock, type TestDatabase } from '@triphammer/testing';
import { completeLog } from './complete-log';
import { decodeRows, type LogRow, logTime } from './log-row';
import { LogWriter } from './log-writer';
import type { LogBatch } from './plan-append';
import { readLogState, readRows } from './read-log';

const clock = fakeClock();
const noBlobs = undefined as never;
let database: TestDatabase;
let lastTask = 0;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** A replica's writer. */
function writer(limits = { line: 65_536, task: 10_000_000 }): LogWriter {
  return new LogWriter({ sql: poolOf(database.dataSource), transact: (work) => transaction(database.dataSource, work), clock, limits });
}

function newTask(): number {
  lastTask += 1;
  return lastTask;
}

function rows(from: number, to: number): LogRow[] {
  return Array.from({ length: to - from }, (_, at) => ({ time: logTime(from + at, 0), content: `row ${from + at}` }));
}

function batch(from: number, to: number, noMore = false): LogBatch {
  return { index: from, rows: rows(from, to), noMore, secrets: [] };
}

async function stored(taskId: number): Promise<LogRow[]> {
  const all: LogRow[] = [];
  const source = { sql: poolOf(database.dataSource), blobs: noBlobs };
  for await (const block of readRows(source, taskId, { from: 0, to: Number.MAX_SAFE_INTEGER })) all.push(...decodeRows(block.text));
  return all;
}

async function completions(taskId: number): Promise<number> {
  const found = await poolOf(database.dataSource).query(`select 1 from outbox where event = 'log.completed' and payload = $1`, [{ taskId }]);
  return found.rowCount as number;
}

describe('UpdateLog', () => {
  it('acknowledges the same rows twice and stores them once', async () => {
    const task = newTask();
    const log = writer();

    const acks = [await log.append(task, batch(0, 3)), await log.append(task, batch(0, 3))];

    expect(acks.map((ack) => ack.ackIndex)).toEqual([3, 3]);
    expect(await stored(task)).toEqual(rows(0, 3));
  });

  it('takes of overlapping rows those that are new', async () => {
    const task = newTask();
    const log = writer();

    await log.append(task, batch(0, 5));
    const ack = await log.append(task, batch(3, 8));

    expect(ack.ackIndex).toBe(8);
    expect(await stored(task)).toEqual(rows(0, 8));
  });

  it('answers a gap with what is stored, and takes the rows when they are sent again (R14)', async () => {
    const task = newTask();
    const log = writer();
    await log.append(task, batch(0, 3));

    const behindGap = await log.append(task, batch(5, 8));
    const again = await log.append(task, batch(3, 8));

    expect([behindGap.ackIndex, again.ackIndex]).toEqual([3, 8]);
    expect(await stored(task)).toEqual(rows(0, 8));
  });

  it('never acknowledges above what was sent', async () => {
    const task = newTask();
    const log = writer();
    await log.append(task, batch(0, 10));

    expect((await log.append(task, batch(2, 4))).ackIndex).toBe(4);
    expect((await writer().append(task, batch(2, 2))).ackIndex).toBe(2);
  });

  it('takes the end twice, and says so once to the others', async () => {
    const task = newTask();
    const log = writer();

    const acks = [await log.append(task, batch(0, 2, true)), await log.append(task, batch(0, 2, true)), await log.append(task, batch(2, 2, true))];

    expect(acks).toEqual([
      expect.objectContaining({ ackIndex: 2, isComplete: true }),
      expect.objectContaining({ ackIndex: 2, isComplete: true }),
      expect.objectContaining({ ackIndex: 2, isComplete: true }),
    ]);
    expect(await completions(task)).toBe(1);
    expect(await database.dataSource.manager.findOneByOrFail(TaskLog, { taskId: task })).toMatchObject({ isComplete: true, completedAt: clock.now() });
  });

  it('does not take the end while rows before it are missing', async () => {
    const task = newTask();
    const log = writer();
    await log.append(task, batch(0, 3));

    const early = await log.append(task, batch(5, 6, true));

    expect(early).toMatchObject({ ackIndex: 3, isComplete: false });
    expect(await completions(task)).toBe(0);
    expect(await log.append(task, batch(3, 6, true))).toMatchObject({ ackIndex: 6, isComplete: true });
  });

  it('answers rows after the end with what is stored', async () => {
    const task = newTask();
    await writer().append(task, batch(0, 3, true));

    const late = await writer().append(task, batch(3, 9));

    expect(late).toMatchObject({ ackIndex: 3, isComplete: true, bytes: 0 });
    expect(await stored(task)).toEqual(rows(0, 3));
  });

  it('ends an empty log', async () => {
    const task = newTask();

    expect(await writer().append(task, batch(0, 0, true))).toMatchObject({ ackIndex: 0, isComplete: true });
    expect(await stored(task)).toEqual([]);
    expect(await completions(task)).toBe(1);
  });

  it('keeps large batches in several chunks', async () => {
    const task = newTask();
    const large = Array.from({ length: 40 }, (_, at) => ({ time: logTime(at, 0), content: String(at).repeat(10_000) }));

    await writer().append(task, { index: 0, rows: large, noMore: false, secrets: [] });

    expect(await database.dataSource.manager.countBy(TaskLogChunk, { taskId: task })).toBeGreaterThan(3);
    expect(await stored(task)).toEqual(large);
  });

  it('acknowledges what is beyond the limit of a task and keeps one row in its place', async () => {
    const task = newTask();
    const limits = { line: 65_536, task: 300 };

    const acks = [await writer(limits).append(task, batch(0, 50)), await writer(limits).append(task, batch(50, 60, true))];

    expect(acks.map((ack) => ack.ackIndex)).toEqual([50, 60]);
    const kept = await stored(task);
    expect(kept.slice(0, -1)).toEqual(rows(0, kept.length - 1));
    expect(kept.at(-1)?.content).toBe('[this task logged more than 300 B: the rest is dropped]');
    expect((await readLogState(poolOf(database.dataSource), task))?.rows).toBe(kept.length);
  });
});

describe('two replicas on one task', () => {
  it('tell the runner what both of them stored, whichever it asks', async () => {
    const task = newTask();
    const [a, b] = [writer(), writer()];
    await a.append(task, batch(0, 3));
    await b.append(task, batch(3, 9));

    expect((await a.append(task, batch(9, 9))).ackIndex).toBe(9);
    expect((await a.append(task, batch(12, 13))).ackIndex).toBe(9);
    expect((await a.append(task, batch(6, 12))).ackIndex).toBe(12);
    expect(await stored(task)).toEqual(rows(0, 12));
  });

  it('take nothing after the end, whichever of them heard it', async () => {
    const task = newTask();
    const [a, b] = [writer(), writer()];
    await b.append(task, batch(0, 3));
    await a.append(task, batch(3, 3, true));

    expect(await b.append(task, batch(3, 5))).toMatchObject({ ackIndex: 3, isComplete: true });
    expect(await stored(task)).toEqual(rows(0, 3));
  });

  it('lose and double no row when overlapping batches race', async () => {
    const tasks = Array.from({ length: 8 }, newTask);
    const replicas = [writer(), writer(), writer()];
    const send = (replica: LogWriter, task: number, from: number) => replica.append(task, batch(from, from + 7));

    // Each replica sends everything, in steps that overlap; a gap is sent again from where the server is.
    await Promise.all(
      tasks.flatMap((task) =>
        replicas.map(async (replica, number) => {
          for (let at = 0; at < 100; ) {
            const { ackIndex } = await send(replica, task, Math.max(0, at - number));
            expect(ackIndex).toBeLessThanOrEqual(Math.max(0, at - number) + 7);
            at = Math.max(at + 1, ackIndex);
          }
        }),
      ),
    );

    for (const task of tasks) {
      const all = await stored(task);
      expect(all).toEqual(rows(0, all.length));
      expect(all.length).toBeGreaterThanOrEqual(100);
    }
  });

  it('end a log once when both hear the end at the same time', async () => {
    const tasks = Array.from({ length: 20 }, newTask);

    const acks = await Promise.all(tasks.flatMap((task) => [writer(), writer()].map((replica) => replica.append(task, batch(0, 4, true)))));

    expect(acks.every((ack) => ack.ackIndex === 4 && ack.isComplete)).toBe(true);
    for (const task of tasks) {
      expect(await completions(task)).toBe(1);
      expect(await stored(task)).toEqual(rows(0, 4));
    }
  });
});

describe('many tasks at once', () => {
  it('keep their rows in order, each in its own log', async () => {
    const tasks = Array.from({ length: 64 }, newTask);
    const log = writer();

    await Promise.all(
      tasks.map(async (task) => {
        for (let at = 0; at < 50; at += 10) expect((await log.append(task, batch(at, at + 10, at === 40))).ackIndex).toBe(at + 10);
      }),
    );

    for (const task of tasks) expect(await stored(task)).toEqual(rows(0, 50));
  });

  it('keep the order of what one task sends without waiting', async () => {
    const task = newTask();
    const log = writer();

    const acks = await Promise.all([0, 10, 20, 30].map((at) => log.append(task, batch(at, at + 10))));

    expect(acks.map((ack) => ack.ackIndex)).toEqual([10, 20, 30, 40]);
    expect(await stored(task)).toEqual(rows(0, 40));
  });

  it('are all told when the database is away, and can go on when it is back', async () => {
    const task = newTask();
    let isAway = false;
    const log = new LogWriter({
      sql: poolOf(database.dataSource),
      transact: (work) => (isAway ? Promise.reject(new Error('away')) : transaction(database.dataSource, work)),
      clock,
      limits: { line: 65_536, task: 10_000_000 },
    });
    await log.append(task, batch(0, 2));

    isAway = true;
    await expect(log.append(task, batch(2, 4))).rejects.toThrow('away');
    isAway = false;

    expect((await log.append(task, batch(2, 4))).ackIndex).toBe(4);
    expect(await stored(task)).toEqual(rows(0, 4));
  });

  it('are all stored when the writer is drained', async () => {
    const tasks = Array.from({ length: 200 }, newTask);
    const log = writer();
    let settled = 0;
    for (const task of tasks) void log.append(task, batch(0, 1)).then(() => (settled += 1));

    await log.drain();

    expect(settled).toBe(200);
  });
});

describe('a log that its runner does not end', () => {
  it('is ended by us, with a last row that says why, once', async () => {
    const task = newTask();
    await writer().append(task, batch(0, 2));

    const done = await Promise.all([1, 2].map(() => transaction(database.dataSource, (tx) => completeLog(tx, task, 'the runner was lost', clock.now()))));

    expect([...done].sort()).toEqual([false, true]);
    expect(await stored(task)).toEqual([...rows(0, 2), { time: '2026-01-02T03:04:05.000000000Z', content: 'the runner was lost' }]);
    expect(await completions(task)).toBe(1);
    expect((await writer().append(task, batch(2, 5, true))).ackIndex).toBe(3);
  });

  it('is ended behind the row that stands for those that were dropped', async () => {
    const task = newTask();
    await writer({ line: 65_536, task: 100 }).append(task, batch(0, 9));

    await transaction(database.dataSource, (tx) => completeLog(tx, task, 'the end', clock.now()));

    expect((await stored(task)).map((row) => row.content)).toEqual(['row 0', 'row 1', expect.stringContaining('is dropped'), 'the end']);
  });

  it('is left alone while it does not exist', async () => {
    expect(await transaction(database.dataSource, (tx) => completeLog(tx, newTask(), 'x', clock.now()))).toBe(false);
    expect(await readLogState(read(database.dataSource).sql, lastTask)).toBeUndefined();
  });
});
