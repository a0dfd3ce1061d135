import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { poolOf } from '@triphammer/models';
import { createTestDatabase, makeRunner, startTestService, type TestDatabase, type TestService } from '@triphammer/testing';
import { AUTHORIZED, contents, eventually, type Runner, rows, runnerClient, seedJob, seedTask, type SeededTask } from './log-archiver.harness';
import { LogArchiverModule } from './log-archiver.module';

let database: TestDatabase;
let folder: string;
let service: TestService;
let runner: Runner;
beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'triphammer-logs-'));
  runner = await makeRunner(database.dataSource, 'runner-a');
  service = await startTestService({ features: [LogArchiverModule], database, settings: { DATA_DIR: folder } });
});
afterAll(async () => {
  await service.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function taskWithRows(count: number, noMore = false): Promise<SeededTask> {
  const task = await seedTask(database, runner);
  await runnerClient(service.url, runner).updateLog({ taskId: BigInt(task.taskId), rows: rows(0, count), noMore });
  return task;
}

/** What the event of its completion leads to. */
function digestOfSealed(task: SeededTask): Promise<string> {
  return eventually(async () => {
    const found = await poolOf(database.dataSource).query<{ digest: string | null }>('select archive_digest as digest from task_log where task_id = $1', [
      task.taskId,
    ]);
    return found.rows[0]?.digest ?? undefined;
  });
}

function get(path: string): Promise<Response> {
  return fetch(service.url + path, { headers: AUTHORIZED });
}

describe("a job's log", () => {
  it('is text, a line for a row', async () => {
    const task = await taskWithRows(2);

    const response = await get(task.logs);

    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await response.text()).toBe('2026-11-30T16:34:36.000001000Z row 0\n2026-11-30T16:34:37.000001000Z row 1\n');
  });

  it.each([
    ['from a row on', '?from=7', 7, 10],
    ['some rows', '?from=3&limit=4', 3, 7],
    ['the first rows', '?limit=2', 0, 2],
    ['more rows than there are', '?from=8&limit=100', 8, 10],
    ['none of its rows', '?limit=0', 0, 0],
    ['rows behind its end', '?from=10', 0, 0],
  ])('can be had %s, hot and sealed', async (_what, query, from, to) => {
    const task = await taskWithRows(10);
    const expected = rows(from, to).map((row) => row.content);

    expect(contents(await (await get(task.logs + query)).text())).toEqual(expected);
    await runnerClient(service.url, runner).updateLog({ taskId: BigInt(task.taskId), index: 10n, noMore: true });
    await digestOfSealed(task);
    expect(contents(await (await get(task.logs + query)).text())).toEqual(expected);
  });

  it.each(['?from=-1', '?limit=x', '?from=1.5'])('is refused for %s', async (query) => {
    const task = await taskWithRows(1);

    expect((await get(task.logs + query)).status).toBe(422);
  });

  it('has no rows while no runner has the job, and before the runner logs (LA-20)', async () => {
    const waiting = await seedJob(database);
    const silent = await seedTask(database, runner);

    for (const { logs } of [waiting, silent]) {
      const response = await get(logs);
      expect([response.status, await response.text()]).toEqual([200, '']);
    }
  });

  it('is found by the names of owner and repository in any case', async () => {
    const task = await taskWithRows(1);

    expect((await get(task.logs.replace('acme/demo', 'ACME/Demo'))).status).toBe(200);
  });

  it.each<[string, (logs: string) => string]>([
    ['another repository', (logs) => logs.replace('demo', 'other')],
    ['another owner', (logs) => logs.replace('acme', 'other')],
    ['no such job', (logs) => logs.replace(/jobs\/\d+/, 'jobs/987654321')],
    ['a job that is no number', (logs) => logs.replace(/jobs\/\d+/, 'jobs/abc')],
    ['a job beyond all numbers', (logs) => logs.replace(/jobs\/\d+/, `jobs/${'9'.repeat(30)}`)],
  ])('is not found for %s', async (_what, change) => {
    const task = await taskWithRows(1);

    for (const path of [change(task.logs), `${change(task.logs)}/stream`]) {
      const response = await get(path);
      expect([response.status, await response.json()]).toEqual([404, { message: expect.stringContaining('has no job') }]);
    }
  });

  it('is for those who have the token', async () => {
    const task = await taskWithRows(1);

    expect((await fetch(service.url + task.logs)).status).toBe(401);
    expect((await fetch(`${service.url}${task.logs}/stream`)).status).toBe(401);
  });

  it('is a refusal, and not half an answer, when the archive object is gone (LA-20)', async () => {
    const task = await taskWithRows(3, true);
    const digest = await digestOfSealed(task);
    await rm(join(folder, 'blobs', digest.slice(0, 2), digest.slice(2, 4), digest));

    const response = await get(task.logs);

    expect([response.status, await response.json()]).toEqual([404, { message: expect.stringContaining(digest) }]);
  });
});
