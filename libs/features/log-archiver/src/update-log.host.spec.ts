import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import { fromJson } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signJobToken } from '@triphammer/identity';
import { poolOf } from '@triphammer/models';
import { UpdateLogRequestSchema } from '@triphammer/runner-rpc';
import { createTestDatabase, makeRunner, startTestService, TEST_SECRETS, type TestDatabase, type TestService } from '@triphammer/testing';
import { AUTHORIZED, contents, eventually, type Runner, rows, runnerClient, seedTask, type SeededTask } from './log-archiver.harness';
import { LogArchiverModule } from './log-archiver.module';

let database: TestDatabase;
let service: TestService;
let runner: Runner;
beforeAll(async () => {
  database = await createTestDatabase();
  runner = await makeRunner(database.dataSource, 'runner-a');
  service = await startTestService({ features: [LogArchiverModule], database });
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

async function logOf(task: SeededTask): Promise<string> {
  const response = await fetch(service.url + task.logs, { headers: AUTHORIZED });
  expect(response.status).toBe(200);
  return response.text();
}

async function refusal(call: Promise<unknown>): Promise<ConnectError> {
  return call.then(
    () => Promise.reject(new Error('was not refused')),
    (error: unknown) => ConnectError.from(error),
  );
}

describe.each([
  ['binary', true],
  ['JSON', false],
])('UpdateLog in the %s codec', (_codec, useBinaryFormat) => {
  const send = async (task: SeededTask, from: number, to: number, noMore = false) =>
    Number(
      (await runnerClient(service.url, runner, useBinaryFormat).updateLog({ taskId: BigInt(task.taskId), index: BigInt(from), rows: rows(from, to), noMore }))
        .ackIndex,
    );
  const allRows = (to: number) => rows(0, to).map((row) => row.content);

  it('gives a duplicate call the same answer, and stores its rows once', async () => {
    const task = await seedTask(database, runner);

    expect([await send(task, 0, 3), await send(task, 0, 3)]).toEqual([3, 3]);
    expect(contents(await logOf(task))).toEqual(allRows(3));
  });

  it('takes what is new of overlapping rows', async () => {
    const task = await seedTask(database, runner);

    expect([await send(task, 0, 4), await send(task, 2, 7)]).toEqual([4, 7]);
    expect(contents(await logOf(task))).toEqual(allRows(7));
  });

  it('answers a gap with what is stored, and the log has no hole (R14)', async () => {
    const task = await seedTask(database, runner);

    expect([await send(task, 0, 2), await send(task, 4, 6), await send(task, 2, 6)]).toEqual([2, 2, 6]);
    expect(contents(await logOf(task))).toEqual(allRows(6));
  });

  it('never acknowledges above what was sent', async () => {
    const task = await seedTask(database, runner);

    expect([await send(task, 0, 9), await send(task, 3, 5), await send(task, 4, 4)]).toEqual([9, 5, 4]);
  });

  it('takes no_more twice, with and without rows', async () => {
    const task = await seedTask(database, runner);

    expect([await send(task, 0, 2, true), await send(task, 0, 2, true), await send(task, 2, 2, true)]).toEqual([2, 2, 2]);
    expect(contents(await logOf(task))).toEqual(allRows(2));
  });

  it('does not take no_more behind a gap', async () => {
    const task = await seedTask(database, runner);

    expect([await send(task, 0, 2), await send(task, 5, 6, true), await send(task, 2, 6, true)]).toEqual([2, 2, 6]);
    expect(contents(await logOf(task))).toEqual(allRows(6));
  });

  it('answers rows after the end with what is stored', async () => {
    const task = await seedTask(database, runner);

    expect([await send(task, 0, 2, true), await send(task, 2, 5)]).toEqual([2, 2]);
  });
});

describe('a stock runner', () => {
  it('gets to each recorded call the answer that it got from its forge, and its log is whole', async () => {
    const task = await seedTask(database, runner);
    const calls = readFileSync(join(__dirname, '../testdata/runner-v1.0.8-update-log.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { request: { rows: { time: string; content: string }[] }; response: { ackIndex: string } });

    for (const { request, response } of calls) {
      const message = fromJson(UpdateLogRequestSchema, { ...request, taskId: String(task.taskId) });
      expect((await runnerClient(service.url, runner).updateLog(message)).ackIndex).toBe(BigInt(response.ackIndex));
    }

    const sent = calls.flatMap(({ request }) => request.rows);
    const time = (text: string) => text.replace(/(\.\d+)?Z$/, (_all, fraction = '.') => `${String(fraction).padEnd(10, '0')}Z`);
    expect(await logOf(task)).toBe(sent.map((row) => `${time(row.time)} ${row.content}\n`).join(''));
  });

  it('is told that its task was heard of as soon as it logs', async () => {
    const task = await seedTask(database, runner);

    await runnerClient(service.url, runner).updateLog({ taskId: BigInt(task.taskId) });

    const heardAt = await eventually(async () => {
      const found = await poolOf(database.dataSource).query<{ heard_at: Date | null }>('select heard_at from task where id = $1', [task.taskId]);
      return found.rows[0]?.heard_at ?? undefined;
    });
    expect(Date.now() - heardAt.getTime()).toBeLessThan(4_000);
  });

  it('does not see its job token in the log, also when it masks nothing', async () => {
    const task = await seedTask(database, runner);
    const token = signJobToken(TEST_SECRETS.SECRET_KEY, task);
    const lines = [`token ${token}!`, `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`, `***${token.slice(0, 3)}`];

    await runnerClient(service.url, runner).updateLog({ taskId: BigInt(task.taskId), rows: lines.map((content) => ({ content })) });

    const [plain, encoded, harmless] = contents(await logOf(task));
    expect(plain).toBe('token ***!');
    expect(encoded).toMatch(/^Basic [\w+/=]{1,24}\*\*\*[\w+/=]{0,4}$/);
    expect(harmless).toBe(lines[2]);
  });

  it('is never told 413: a line of 40 MB is cut, and what comes after it arrives (LA-17)', async () => {
    const task = await seedTask(database, runner);
    const client = runnerClient(service.url, runner);
    const lines = ['before', 'x'.repeat(40_000_000), '€'.repeat(21_846), 'y'.repeat(65_536), 'tick 1'];

    const { ackIndex } = await client.updateLog({ taskId: BigInt(task.taskId), rows: lines.map((content) => ({ content })) });

    expect(ackIndex).toBe(5n);
    expect(contents(await logOf(task))).toEqual([
      'before',
      `${'x'.repeat(65_536)} [line cut: 39934464 bytes dropped]`,
      `${'€'.repeat(21_845)} [line cut: 3 bytes dropped]`,
      'y'.repeat(65_536),
      'tick 1',
    ]);
  }, 20_000);

  it('may log what is no text (LA-18)', async () => {
    const task = await seedTask(database, runner);
    const lines = ['a\0b', '\ufffd?', 'p 1%\rp 50%\rp 100%', '\x1b[31mred\x1b[0m', '\x1b]8;;http://x\x07link', '\x1b[', '', 'a\u2028b'];

    await runnerClient(service.url, runner).updateLog({ taskId: BigInt(task.taskId), rows: lines.map((content) => ({ content })) });

    expect(contents(await logOf(task))).toEqual(lines);
  });
});

describe('a runner', () => {
  it('may not touch the task of another, nor learn that it exists', async () => {
    const task = await seedTask(database, runner);
    const other = await makeRunner(database.dataSource, 'runner-b');
    const client = runnerClient(service.url, other);

    const errors = [
      await refusal(client.updateLog({ taskId: BigInt(task.taskId), rows: rows(0, 1) })),
      await refusal(client.updateLog({ taskId: 987_654_321n, rows: rows(0, 1) })),
      await refusal(client.updateLog({ taskId: 9_007_199_254_740_993n, rows: rows(0, 1) })),
    ];

    expect(errors.map((error) => [error.code, error.rawMessage.replace(/\d+/, 'N')])).toEqual(Array(3).fill([Code.NotFound, 'This runner has no task N.']));
    expect(await logOf(task)).toBe('');
  });

  it.each([
    ['with a token that is not its own', () => ({ uuid: runner.uuid, name: 'guess' })],
    ['that is not registered', () => ({ uuid: '00000000-0000-4000-8000-000000000000', name: 'runner-a' })],
  ])('%s is unauthenticated', async (_what, identity) => {
    expect((await refusal(runnerClient(service.url, identity()).updateLog({ taskId: 1n }))).code).toBe(Code.Unauthenticated);
  });

  it('without a name is unauthenticated before its body is looked at', async () => {
    const response = await fetch(`${service.url}/api/actions/runner.v1.RunnerService/UpdateLog`, {
      method: 'POST',
      headers: { 'content-type': 'application/proto' },
      body: 'no message at all',
    });

    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ code: 'unauthenticated' });
  });

  it('that counts rows from below 0 is refused', async () => {
    const task = await seedTask(database, runner);

    const error = await refusal(runnerClient(service.url, runner).updateLog({ taskId: BigInt(task.taskId), index: -1n, rows: rows(0, 1) }));

    expect(error.code).toBe(Code.InvalidArgument);
  });

  it('that is retired is let in no more, once its change is known', async () => {
    const leaving = await makeRunner(database.dataSource, 'runner-leaving');
    const task = await seedTask(database, leaving);
    const client = runnerClient(service.url, leaving);
    await client.updateLog({ taskId: BigInt(task.taskId) });

    await poolOf(database.dataSource).query('update runner set retired_at = now() where id = $1', [leaving.id]);
    await poolOf(database.dataSource).query(`select pg_notify('triphammer_hint', $1)`, [
      JSON.stringify({ name: 'runner.changed', payload: { runnerId: leaving.id } }),
    ]);

    const error = await eventually(async () => client.updateLog({ taskId: BigInt(task.taskId) }).then(() => undefined, ConnectError.from));
    expect(error.code).toBe(Code.Unauthenticated);
  });

  it('that is ephemeral may send its last log after its result, until no_more (R16)', async () => {
    const ephemeral = await makeRunner(database.dataSource, 'runner-once', { ephemeral: true });
    const task = await seedTask(database, ephemeral);
    const client = runnerClient(service.url, ephemeral);
    await client.updateLog({ taskId: BigInt(task.taskId), rows: rows(0, 2) });
    await poolOf(database.dataSource).query(`update task set status = 'success', stopped_at = now() where id = $1`, [task.taskId]);

    const late = await client.updateLog({ taskId: BigInt(task.taskId), index: 2n, rows: rows(2, 4) });
    const last = await client.updateLog({ taskId: BigInt(task.taskId), index: 4n, rows: rows(4, 5), noMore: true });

    expect([late.ackIndex, last.ackIndex]).toEqual([4n, 5n]);
    expect(contents(await logOf(task))).toHaveLength(5);
  });
});

describe('a service that stops', () => {
  it('answers the calls that are under way, and stores what they brought', async () => {
    const stopping = await startTestService({ features: [LogArchiverModule], database });
    const tasks = await Promise.all(Array.from({ length: 10 }, () => seedTask(database, runner)));
    const taskIds = tasks.map((task) => task.taskId);
    const lock = await poolOf(database.dataSource).connect();
    await lock.query('insert into task_log (task_id) select unnest($1::bigint[])', [taskIds]);
    await lock.query('begin');
    await lock.query('select 1 from task_log where task_id = any($1) for update', [taskIds]);

    const client = runnerClient(stopping.url, runner);
    const calls = Promise.all(tasks.map((task) => client.updateLog({ taskId: BigInt(task.taskId), rows: rows(0, 5) })));
    await eventually(async () => {
      const silent = await lock.query('select 1 from task where id = any($1) and heard_at is null', [taskIds]);
      return silent.rowCount === 0 ? true : undefined;
    });
    const stopped = stopping.stop();
    await lock.query('commit');
    lock.release();

    expect((await calls).map((answer) => answer.ackIndex)).toEqual(Array(10).fill(5n));
    await stopped;
    for (const task of tasks) expect(contents(await logOf(task))).toHaveLength(5);
  });
});
