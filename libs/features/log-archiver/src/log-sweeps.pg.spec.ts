import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BlobStore } from '@triphammer/blob-store';
import { DiskBlobStore } from '@triphammer/blob-store/disk';
import { type Config, loadConfig } from '@triphammer/config';
import type { Message } from '@triphammer/events';
import { completeLog, decodeRows, readRows } from '@triphammer/logs';
import { poolOf, transaction } from '@triphammer/models';
import { createTestDatabase, fakeClock, makeRunner, TEST_SECRETS, type TestDatabase } from '@triphammer/testing';
import { seedTask } from './log-archiver.harness';
import { LogConsumers } from './log-consumers';
import { LogSweeps } from './log-sweeps';

const MINUTE = 60_000;
const clock = fakeClock();
let database: TestDatabase;
let folder: string;
let blobs: BlobStore;
let runner: { readonly id: number };
let sweeps: LogSweeps;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'triphammer-logs-'));
  blobs = new DiskBlobStore(folder);
  runner = await makeRunner(database.dataSource, 'runner-a');
  sweeps = new LogSweeps(database.dataSource, config('zstd'), clock, blobs);
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function config(archive: string): Config {
  return loadConfig({ ...TEST_SECRETS, DATABASE: database.url, LOG_ARCHIVE: archive }, () => '');
}

interface LogFacts {
  readonly is_complete: boolean;
  readonly archive_encoding: string | null;
}

async function factsOf(taskId: number): Promise<LogFacts | undefined> {
  const found = await poolOf(database.dataSource).query<LogFacts>('select is_complete, archive_encoding from task_log where task_id = $1', [taskId]);
  return found.rows[0];
}

async function textOf(taskId: number): Promise<string[]> {
  const contents: string[] = [];
  const source = { sql: poolOf(database.dataSource), blobs };
  for await (const block of readRows(source, taskId, { from: 0, to: 1_000 })) contents.push(...decodeRows(block.text).map((row) => row.content));
  return contents;
}

/** A task with an empty log, which ended just now. */
async function endedTask(status: string): Promise<number> {
  const { taskId } = await seedTask(database, runner);
  await poolOf(database.dataSource).query('insert into task_log (task_id) values ($1)', [taskId]);
  await poolOf(database.dataSource).query('update task set status = $2, stopped_at = $3 where id = $1', [taskId, status, clock.now()]);
  return taskId;
}

describe('the sweep for logs that no runner ends', () => {
  it.each(['success', 'failure', 'cancelled', 'abandoned'])(
    'ends that of a task which ended as %s, after ten minutes, with a row that says so',
    async (status) => {
      const taskId = await endedTask(status);
      const endedAt = clock.now().toISOString();

      clock.advance(10 * MINUTE);
      await sweeps.completeForsaken();
      expect(await factsOf(taskId)).toMatchObject({ is_complete: false });
      clock.advance(1);
      await sweeps.completeForsaken();

      expect(await factsOf(taskId)).toMatchObject({ is_complete: true });
      expect(await textOf(taskId)).toEqual([`[the runner did not end this log: its task ended as ${status} at ${endedAt}]`]);
    },
  );

  it.each(['claimed', 'running', 'cancelling'])('leaves that of a task alone which is %s', async (status) => {
    const { taskId } = await seedTask(database, runner);
    await poolOf(database.dataSource).query('insert into task_log (task_id) values ($1)', [taskId]);
    await poolOf(database.dataSource).query('update task set status = $2 where id = $1', [taskId, status]);

    clock.advance(60 * MINUTE);
    await sweeps.completeForsaken();

    expect(await factsOf(taskId)).toMatchObject({ is_complete: false });
  });
});

describe('the sweep for logs that were not sealed', () => {
  it('seals them after five minutes', async () => {
    const taskId = await endedTask('success');
    await transaction(database.dataSource, (tx) => completeLog(tx, taskId, 'over', clock.now()));

    clock.advance(5 * MINUTE);
    await sweeps.sealUnsealed();
    expect(await factsOf(taskId)).toMatchObject({ archive_encoding: null });
    clock.advance(1);
    await Promise.all([sweeps.sealUnsealed(), sweeps.sealUnsealed()]);

    expect(await factsOf(taskId)).toMatchObject({ archive_encoding: 'zstd' });
    expect(await textOf(taskId)).toEqual(['over']);
  });
});

describe('the consumer', () => {
  const completed = (id: number, taskId: number): Message<'log.completed'> => ({ id, event: 'log.completed', consumer: 'seal-log', payload: { taskId } });
  const finished = (id: number, runId: number, jobId: number): Message<'job.finished'> => ({
    id,
    event: 'job.finished',
    consumer: 'open-log',
    payload: { runId, jobId },
  });

  it.each(['zstd', 'none'])('of a complete log seals it as the setting %s says, once however often it hears of it', async (archive) => {
    const consumers = new LogConsumers(database.dataSource, config(archive), clock, blobs);
    const taskId = await endedTask('success');
    await transaction(database.dataSource, (tx) => completeLog(tx, taskId, 'over', clock.now()));
    const message = completed(taskId, taskId);

    await Promise.all([consumers.seal(message), consumers.seal(message)]);
    await consumers.seal(message);
    await consumers.seal(completed(taskId + 100_000, taskId));

    expect(await factsOf(taskId)).toMatchObject({ archive_encoding: archive });
    expect(await textOf(taskId)).toEqual(['over']);
  });

  it('of a job that ended opens the log of a task that never logged, so that it can be ended', async () => {
    const consumers = new LogConsumers(database.dataSource, config('zstd'), clock, blobs);
    const { taskId, jobId, runId } = await seedTask(database, runner);

    await consumers.open(finished(900_001, runId, jobId));
    await consumers.open(finished(900_001, runId, jobId));
    await consumers.open(finished(900_002, runId, jobId));

    expect(await factsOf(taskId)).toMatchObject({ is_complete: false });
  });

  it('of a job that ended without a task has nothing to open', async () => {
    const consumers = new LogConsumers(database.dataSource, config('zstd'), clock, blobs);

    await expect(consumers.open(finished(900_003, 1, 987_654))).resolves.toBeUndefined();
  });
});
