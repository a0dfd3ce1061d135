import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { poolOf } from '@triphammer/models';
import { createTestDatabase, makeRunner, startTestService, type TestDatabase, type TestService } from '@triphammer/testing';
import { AUTHORIZED, eventually, giveJob, openEvents, type Runner, rows, runnerClient, seedJob, seedTask, type SeededTask } from './log-archiver.harness';
import { LogArchiverModule } from './log-archiver.module';

/** Two processes on one database. Their caches are their own, so that only the look at the database connects them. */
let database: TestDatabase;
let folder: string;
let near: TestService;
let far: TestService;
let runner: Runner;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'triphammer-logs-'));
  runner = await makeRunner(database.dataSource, 'runner-a');
  near = await startReplica();
  far = await startReplica();
});
afterAll(async () => {
  await Promise.all([near.stop(), far.stop()]);
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function startReplica(): Promise<TestService> {
  return startTestService({ features: [LogArchiverModule], database, settings: { DATA_DIR: folder } });
}

/** The runner logs to `near`. */
async function log(task: SeededTask, from: number, to: number, noMore = false): Promise<void> {
  await runnerClient(near.url, runner).updateLog({ taskId: BigInt(task.taskId), index: BigInt(from), rows: rows(from, to), noMore });
}

function rowEvents(from: number, to: number) {
  return rows(from, to).map(({ content }, at) => ({
    id: String(from + at),
    event: 'row',
    data: { index: from + at, time: expect.stringMatching(/^2026-11-30T\d\d:\d\d:\d\d\.000001000Z$/), content },
  }));
}

const END = { id: undefined, event: 'end', data: {} };

function sealed(task: SeededTask): Promise<true> {
  return eventually(async () => {
    const found = await poolOf(database.dataSource).query('select 1 from task_log where task_id = $1 and archive_digest is not null', [task.taskId]);
    return found.rowCount === 1 ? true : undefined;
  });
}

describe('a live tail', () => {
  it('has the rows that are there, those that come, the end, and is closed then', async () => {
    const task = await seedTask(database, runner);
    await log(task, 0, 2);

    const stream = await openEvents(`${near.url}${task.logs}/stream`);
    await stream.count(2);
    await log(task, 2, 4);
    await log(task, 4, 5, true);
    await stream.closed;

    expect(stream.events).toEqual([...rowEvents(0, 5), END]);
  });

  it('is not held back by proxies, and says at once that it is there', async () => {
    const task = await seedTask(database, runner);

    const stream = await openEvents(`${near.url}${task.logs}/stream`);

    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    await eventually(async () => (stream.text() === 'retry: 1000\n\n' ? true : undefined));
    await stream.cancel();
  });

  it.each([1, 2, 3])('shows a row within a second of its acknowledgement to a reader at another process (%#)', async () => {
    const task = await seedTask(database, runner);
    const stream = await openEvents(`${far.url}${task.logs}/stream`);
    await log(task, 0, 1);
    const acknowledged = performance.now();

    await stream.count(1);

    expect(performance.now() - acknowledged).toBeLessThan(1_000);
    await stream.cancel();
  });

  it('goes on behind the last row that a reader has seen, at another process, and while the log is sealed (LA-21)', async () => {
    const task = await seedTask(database, runner);
    await log(task, 0, 300);
    const first = await openEvents(`${near.url}${task.logs}/stream`);
    await first.count(100);
    await first.cancel();

    const second = await openEvents(`${far.url}${task.logs}/stream?from=5`, { 'last-event-id': '99' });
    await second.count(200);
    await log(task, 300, 310, true);
    await sealed(task);
    await second.closed;
    const third = await openEvents(`${far.url}${task.logs}/stream`, { 'last-event-id': '304' });
    await third.closed;

    expect(second.events).toEqual([...rowEvents(100, 310), END]);
    expect(third.events).toEqual([...rowEvents(305, 310), END]);
  });

  it('begins where it is asked to', async () => {
    const task = await seedTask(database, runner);
    await log(task, 0, 10, true);

    const stream = await openEvents(`${near.url}${task.logs}/stream?from=8`);
    await stream.closed;

    expect(stream.events).toEqual([...rowEvents(8, 10), END]);
  });

  it('of a job that waits begins once a runner has it', async () => {
    const job = await seedJob(database);
    const stream = await openEvents(`${far.url}${job.logs}/stream`);

    const task = await giveJob(database, job, runner.id);
    await log(task, 0, 2, true);
    await stream.closed;

    expect(stream.events).toEqual([...rowEvents(0, 2), END]);
  });

  it('of a job that no runner ever had has its end', async () => {
    const job = await seedJob(database);
    await poolOf(database.dataSource).query(`update job set status = 'skipped' where id = $1`, [job.jobId]);

    const stream = await openEvents(`${near.url}${job.logs}/stream`);
    await stream.closed;

    expect(stream.events).toEqual([END]);
  });

  it('goes over to the next task when the first was given up before it logged', async () => {
    const task = await seedTask(database, runner);
    const stream = await openEvents(`${near.url}${task.logs}/stream`);

    await poolOf(database.dataSource).query(`update job set status = 'waiting', task_id = null where id = $1`, [task.jobId]);
    const next = await giveJob(database, task, runner.id);
    await log(next, 0, 3, true);
    await stream.closed;

    expect(stream.events).toEqual([...rowEvents(0, 3), END]);
  });

  it('of a task that was given up after it logged has its end', async () => {
    const task = await seedTask(database, runner);
    await log(task, 0, 2);
    const stream = await openEvents(`${far.url}${task.logs}/stream`);

    await poolOf(database.dataSource).query(`update job set status = 'waiting', task_id = null where id = $1`, [task.jobId]);
    await stream.closed;

    expect(stream.events).toEqual([...rowEvents(0, 2), END]);
  });

  it('that is read slowly holds up nobody, and misses nothing', async () => {
    const task = await seedTask(database, runner);
    const slow = await fetch(`${near.url}${task.logs}/stream`, { headers: AUTHORIZED });
    const quick = await openEvents(`${near.url}${task.logs}/stream`);
    const client = runnerClient(near.url, runner);
    const line = 'x'.repeat(10_000);

    for (let at = 0; at < 1_500; at += 100) {
      const batch = Array.from({ length: 100 }, () => ({ content: line }));
      await client.updateLog({ taskId: BigInt(task.taskId), index: BigInt(at), rows: batch, noMore: at === 1_400 });
    }
    await quick.closed;
    const text = await slow.text();

    expect(quick.events).toHaveLength(1_501);
    expect(text.match(/^event: row$/gm)).toHaveLength(1_500);
    expect(text.endsWith('event: end\ndata: {}\n\n')).toBe(true);
  }, 30_000);

  it('ends without an end when its process stops, so that the reader comes back', async () => {
    const stopping = await startReplica();
    const task = await seedTask(database, runner);
    const waiting = await seedJob(database);
    await log(task, 0, 2);
    const streams = await Promise.all([task, waiting].map(({ logs }) => openEvents(`${stopping.url}${logs}/stream`)));
    await streams[0]?.count(2);

    await stopping.stop();
    await Promise.all(streams.map((stream) => stream.closed));

    expect(streams.map((stream) => stream.events)).toEqual([rowEvents(0, 2), []]);
  });
});
