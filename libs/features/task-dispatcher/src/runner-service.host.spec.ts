import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Code, type ConnectError } from '@connectrpc/connect';
import { verifyJobToken } from '@triphammer/identity';
import { poolOf, transaction } from '@triphammer/models';
import type { Runner } from '@triphammer/models/runs';
import { Result } from '@triphammer/runner-rpc';
import { endTask } from '@triphammer/runs';
import {
  createTestDatabase,
  fakeClock,
  makeRun,
  makeRunner,
  newJob,
  startTestService,
  TEST_SECRETS,
  type TestDatabase,
  type TestService,
} from '@triphammer/testing';
import * as yaml from 'js-yaml';
import { runnerClient } from './dispatcher.harness';
import { TaskDispatcherModule } from './index';

const features = [TaskDispatcherModule];
const SHORT = { timeoutMs: 500 };
const LONG = { timeoutMs: 10_000 };

let database: TestDatabase;
let service: TestService;
beforeEach(async () => {
  database = await createTestDatabase();
  service = await startTestService({ features, database });
});
afterEach(async () => {
  await service.stop();
  await database.drop();
});

const as = (runner: Runner, options = {}) => runnerClient(service.url, { uuid: runner.uuid, token: runner.name }, options).runner;
const rows = async (statement: string) => (await poolOf(database.dataSource).query(statement)).rows;
const codeOf = (call: Promise<unknown>): Promise<Code | undefined> =>
  call.then(
    () => undefined,
    (error: ConnectError) => error.code,
  );

describe('a runner that comes', () => {
  it('is answered its ping', async () => {
    const { data } = await runnerClient(service.url).ping.ping({ data: 'r1' });

    expect(data).toBe('Hello, r1!');
  });

  it('with a wrong registration token is unauthenticated, and leaves no row', async () => {
    const call = runnerClient(service.url).runner.register({ name: 'r1', token: 'wrong', labels: ['linux'] });

    expect(await codeOf(call)).toBe(Code.Unauthenticated);
    expect(await rows('select 1 from runner')).toEqual([]);
  });

  it.each([true, false])('is registered with its own token once, and told whether it is ephemeral (%s)', async (ephemeral) => {
    const { runner } = await runnerClient(service.url).runner.register({
      name: 'r1',
      token: TEST_SECRETS.REGISTRATION_TOKEN,
      labels: ['Linux:host', 'gpu'],
      version: 'dev',
      ephemeral,
    });

    expect(runner).toMatchObject({ name: 'r1', labels: ['Linux', 'gpu'], ephemeral, version: 'dev' });
    expect(runner?.token).toMatch(/^[0-9a-f]{40}$/);
    const stored = await rows('select token_hash from runner');
    expect(JSON.stringify(stored)).not.toContain(runner?.token);
  });

  it('without labels is registered too, and declares them later', async () => {
    const made = await runnerClient(service.url).runner.register({ name: 'r1', token: TEST_SECRETS.REGISTRATION_TOKEN });
    const client = runnerClient(service.url, { uuid: made.runner?.uuid ?? '', token: made.runner?.token ?? '' }).runner;

    const declared = await client.declare({ version: 'v2', labels: ['arm', 'fast'], capabilities: ['cancelling'] });

    expect(declared.runner).toMatchObject({ labels: ['arm', 'fast'], version: 'v2' });
    expect(await rows('select labels, capabilities from runner')).toEqual([{ labels: ['arm', 'fast'], capabilities: ['cancelling'] }]);
  });

  it('R19: declares other labels, and takes jobs of these from its next poll on', async () => {
    await makeRun(database.dataSource, [newJob('a', { labels: ['GPU'] })]);
    const runner = await makeRunner(database.dataSource, 'r1');
    const before = await as(runner).fetchTask({}, SHORT);

    await as(runner).declare({ version: 'dev', labels: ['Gpu'] });
    const after = await as(runner).fetchTask({}, LONG);

    expect(before.task).toBeUndefined();
    const payload = yaml.load(Buffer.from(after.task?.workflowPayload ?? []).toString()) as { jobs: Record<string, { 'runs-on': string[] }> };
    expect(payload.jobs['a']?.['runs-on']).toEqual(['Gpu']);
  });

  it.each([
    ['nobody registered', { uuid: '00000000-0000-4000-8000-000000000000', token: 'x' }],
    ['has a malformed uuid', { uuid: 'x', token: 'x' }],
  ])('and %s is unauthenticated', async (_case, headers) => {
    expect(await codeOf(runnerClient(service.url, headers).runner.fetchTask({}, SHORT))).toBe(Code.Unauthenticated);
  });

  it('with the token of another is unauthenticated', async () => {
    const runner = await makeRunner(database.dataSource, 'r1');
    await as(runner).fetchTask({}, SHORT);

    expect(await codeOf(runnerClient(service.url, { uuid: runner.uuid, token: 'r2' }).runner.fetchTask({}, SHORT))).toBe(Code.Unauthenticated);
  });

  it('and asks for a method that is not there gets a Connect error, 501', async () => {
    const response = await fetch(`${service.url}/api/actions/runner.v1.RunnerService/Dance`, {
      method: 'POST',
      headers: { 'content-type': 'application/proto' },
    });

    expect(response.status).toBe(501);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ code: 'unimplemented' });
  });
});

describe('a fetch', () => {
  it.each([true, false])('with nothing to do is answered within its time, never with version 0 (binary: %s)', async (useBinaryFormat) => {
    const runner = await makeRunner(database.dataSource, 'r1');

    const answer = await as(runner, { useBinaryFormat }).fetchTask({ tasksVersion: 0n }, { timeoutMs: 900 });

    expect(answer.task).toBeUndefined();
    expect(answer.tasksVersion).toBeGreaterThan(0n);
  });

  it('R01: that is held gets the job that comes meanwhile', async () => {
    const runner = await makeRunner(database.dataSource, 'r1');
    const held = as(runner).fetchTask({}, LONG);
    await new Promise((resolve) => setTimeout(resolve, 300));

    await makeRun(database.dataSource, [newJob('a')]);

    await expect(held).resolves.toMatchObject({ task: { needs: {} } });
  });

  it('hands out a task with every key that Gitea gives, of the same type, and both name families', async () => {
    await makeRun(database.dataSource, [newJob('a')]);
    const runner = await makeRunner(database.dataSource, 'r1');

    const response = await fetch(`${service.url}/api/actions/runner.v1.RunnerService/FetchTask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-runner-uuid': runner.uuid, 'x-runner-token': 'r1' },
      body: '{}',
    });

    const { task } = (await response.json()) as { task: Record<string, unknown> & { context: Record<string, unknown>; secrets: Record<string, string> } };
    const gitea = JSON.parse(readFileSync(join(__dirname, '../testdata/gitea-fetch-task.json'), 'utf8')) as { task: typeof task };
    expect(typesOf(task)).toMatchObject(typesOf(gitea.task));
    expect(typesOf(task.context)).toMatchObject(typesOf(gitea.task.context));
    expect(Object.keys(task.context)).toEqual(expect.arrayContaining(['forgejo_default_actions_url', 'forgejo_runtime_token', 'forgejo_server_version']));
    const others = Object.entries(task.context).filter(([key, value]) => typeof value !== 'string' && key !== 'event' && key !== 'ref_protected');
    expect(others).toEqual([]);
    expect(Object.keys(task.secrets).sort()).toEqual(['FORGEJO_TOKEN', 'GITEA_TOKEN', 'GITHUB_TOKEN']);
    const claims = verifyJobToken(TEST_SECRETS.SECRET_KEY, task.secrets['GITHUB_TOKEN'] ?? '');
    expect(String(claims.taskId)).toBe(task['id']);
    expect(task.context['event']).toEqual({ ref: 'refs/heads/main', repository: { id: 7 } });
  });

  it('R05a: under the same request key gets the same task again, until it was heard of', async () => {
    await makeRun(database.dataSource, [newJob('a'), newJob('b')]);
    const runner = await makeRunner(database.dataSource, 'r1');
    const client = as(runner, { headers: { 'x-runner-request-key': '5f1c1d6e-0000-4000-8000-000000000001' } });

    const first = await client.fetchTask({}, LONG);
    const again = await client.fetchTask({}, LONG);
    await client.updateTask({ state: { id: first.task?.id ?? 0n } });
    const other = await as(runner, { headers: { 'x-runner-request-key': '5f1c1d6e-0000-4000-8000-000000000002' } }).fetchTask({}, LONG);

    expect(again.task?.id).toBe(first.task?.id);
    expect(other.task?.id).not.toBe(first.task?.id);
    expect(await rows('select count(*) from task')).toEqual([{ count: 2 }]);
  });

  it('R05a: under the same request key gets the same task from another replica', async () => {
    const replica = await startTestService({ features, database });
    await makeRun(database.dataSource, [newJob('a'), newJob('b')]);
    const runner = await makeRunner(database.dataSource, 'r1');
    const headers = { 'x-runner-request-key': '5f1c1d6e-0000-4000-8000-000000000001' };
    const first = await as(runner, { headers }).fetchTask({}, LONG);
    // A runner asks again after two seconds; the other replica has looked by then.
    await new Promise((resolve) => setTimeout(resolve, 1_500));

    const again = await runnerClient(replica.url, { uuid: runner.uuid, token: 'r1' }, { headers }).runner.fetchTask({}, LONG);

    expect(again.task?.id).toBe(first.task?.id);
    await replica.stop();
  });

  it('R08: passes over a job that cannot be prepared; that one fails alone and says why', async () => {
    await makeRun(database.dataSource, [newJob('poison', { payload: '{"jobs": {}}' }), newJob('b')]);
    const runner = await makeRunner(database.dataSource, 'r1');

    const { task } = await as(runner).fetchTask({}, LONG);

    expect(Buffer.from(task?.workflowPayload ?? []).toString()).toContain('b:');
    expect(await rows('select key, status, reason from job order by id')).toEqual([
      { key: 'poison', status: 'failure', reason: expect.stringContaining('could not be prepared') },
      { key: 'b', status: 'running', reason: null },
    ]);
  });

  it('R32: of a runner with room for several tasks fills `task` first, and sends no others', async () => {
    await makeRun(database.dataSource, [newJob('a'), newJob('b')]);
    const runner = await makeRunner(database.dataSource, 'r1');

    const answer = await as(runner).fetchTask({ taskCapacity: 5n }, LONG);

    expect(answer.task).toBeDefined();
    expect(answer.additionalTasks).toEqual([]);
  });

  it('whose client has gone leaves the job for the next', async () => {
    const [gone, stays] = [await makeRunner(database.dataSource, 'r1'), await makeRunner(database.dataSource, 'r2')];
    const client = new AbortController();
    const lost = as(gone).fetchTask({}, { ...LONG, signal: client.signal });
    await new Promise((resolve) => setTimeout(resolve, 200));
    client.abort();
    await expect(lost).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 100));

    await makeRun(database.dataSource, [newJob('a')]);
    const { task } = await as(stays).fetchTask({}, LONG);

    expect(task).toBeDefined();
    expect(await rows('select runner_id from task')).toEqual([{ runner_id: stays.id }]);
  });

  it('of an ephemeral runner brings one task and no second', async () => {
    await makeRun(database.dataSource, [newJob('a'), newJob('b')]);
    const runner = await makeRunner(database.dataSource, 'r1', { ephemeral: true });

    const first = await as(runner).fetchTask({}, LONG);
    const second = await as(runner).fetchTask({}, SHORT);

    expect(first.task).toBeDefined();
    expect(second.task).toBeUndefined();
  });

  it('of 64 runners at two replicas shares out 200 jobs, none twice and none lost', async () => {
    const replica = await startTestService({ features, database });
    for (let run = 0; run < 10; run += 1) {
      await makeRun(
        database.dataSource,
        Array.from({ length: 20 }, (_, index) => newJob(`j${index}`)),
      );
    }
    const runners = await Promise.all(Array.from({ length: 64 }, (_, index) => makeRunner(database.dataSource, `r${index}`)));
    const fetcher = async (runner: Runner, url: string) => {
      const client = runnerClient(url, { uuid: runner.uuid, token: runner.name }).runner;
      const ids: bigint[] = [];
      for (let { task } = await client.fetchTask({}, { timeoutMs: 3_000 }); task; { task } = await client.fetchTask({}, { timeoutMs: 3_000 }))
        ids.push(task.id);
      return ids;
    };

    const ids = (await Promise.all(runners.map((runner, index) => fetcher(runner, index % 2 === 0 ? service.url : replica.url)))).flat();

    expect(ids).toHaveLength(200);
    expect(new Set(ids).size).toBe(200);
    expect(await rows(`select count(*) from job where status <> 'running'`)).toEqual([{ count: 0 }]);
    await replica.stop();
  }, 60_000);
});

describe('an update', () => {
  const fetchOne = async (runner: Runner) => (await as(runner).fetchTask({}, LONG)).task?.id ?? 0n;

  it('that is only a heartbeat is told nothing, so that the job goes on', async () => {
    await makeRun(database.dataSource, [newJob('a')]);
    const runner = await makeRunner(database.dataSource, 'r1');

    const answer = await as(runner).updateTask({ state: { id: await fetchOne(runner) } });

    expect(answer.state?.result).toBe(Result.UNSPECIFIED);
  });

  it("of another runner's task finds none", async () => {
    await makeRun(database.dataSource, [newJob('a')]);
    const [owner, other] = [await makeRunner(database.dataSource, 'r1'), await makeRunner(database.dataSource, 'r2')];
    const id = await fetchOne(owner);

    expect(await codeOf(as(other).updateTask({ state: { id } }))).toBe(Code.NotFound);
    expect(await codeOf(as(other).updateTask({ state: { id: id + 100n } }))).toBe(Code.NotFound);
  });

  it('names all outputs so far, and acknowledges one that is too long without keeping it', async () => {
    await makeRun(database.dataSource, [newJob('a')]);
    const runner = await makeRunner(database.dataSource, 'r1');
    const id = await fetchOne(runner);

    await as(runner).updateTask({ state: { id }, outputs: { one: '1' } });
    const answer = await as(runner).updateTask({ state: { id }, outputs: { big: 'x'.repeat(1024 * 1024 + 1) } });

    expect([...answer.sentOutputs].sort()).toEqual(['big', 'one']);
    expect(await rows('select key from task_output')).toEqual([{ key: 'one' }]);
  });

  it('of a cancelled task is told so, and a late success changes nothing', async () => {
    await makeRun(database.dataSource, [newJob('a')]);
    const runner = await makeRunner(database.dataSource, 'r1');
    const id = await fetchOne(runner);
    await as(runner).updateTask({ state: { id } });
    await transaction(database.dataSource, (tx) => endTask(tx, Number(id), 'cancelled', 'Cancelled.', new Date()));

    const told = await as(runner).updateTask({ state: { id } });
    const late = await as(runner).updateTask({ state: { id, result: Result.SUCCESS } });

    expect([told.state?.result, late.state?.result]).toEqual([Result.CANCELLED, Result.CANCELLED]);
    expect(await rows('select status from job')).toEqual([{ status: 'cancelled' }]);
  });

  it('with the result lets dependents start, with the outputs, without anything else being asked', async () => {
    await makeRun(database.dataSource, [newJob('a'), newJob('b', { needs: ['a'] })]);
    const runner = await makeRunner(database.dataSource, 'r1');
    const id = await fetchOne(runner);

    await as(runner).updateTask({ state: { id, result: Result.SUCCESS }, outputs: { x: '42' } });
    const { task } = await as(runner).fetchTask({}, LONG);

    expect(task?.needs['a']).toMatchObject({ result: Result.SUCCESS, outputs: { x: '42' } });
  });
});

describe('a runner that goes silent', () => {
  let clock: ReturnType<typeof fakeClock>;
  let timed: TestService;
  beforeEach(async () => {
    clock = fakeClock(new Date().toISOString());
    await service.stop();
    timed = await startTestService({ features, database, clock, settings: { CLAIM_CONFIRM_TIMEOUT: '60s', TASK_SILENCE_TIMEOUT: '10m' } });
  });
  afterEach(() => timed.stop());

  const eventually = async (statement: string, expected: unknown) => {
    const deadline = Date.now() + 15_000;
    for (;;) {
      const found = await rows(statement);
      if (JSON.stringify(found) === JSON.stringify(expected)) return;
      if (Date.now() > deadline) return expect(found).toEqual(expected);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  it('R05b: before its first report loses the task, and the job is run once by another', async () => {
    await makeRun(database.dataSource, [newJob('a')]);
    const [lost, next] = [await makeRunner(database.dataSource, 'r1'), await makeRunner(database.dataSource, 'r2')];
    const client = (runner: Runner) => runnerClient(timed.url, { uuid: runner.uuid, token: runner.name }).runner;
    const first = await client(lost).fetchTask({}, LONG);

    clock.advance(61_000);
    const second = await client(next).fetchTask({}, LONG);
    const late = await client(lost).updateTask({ state: { id: first.task?.id ?? 0n, result: Result.SUCCESS } });
    await client(next).updateTask({ state: { id: second.task?.id ?? 0n, result: Result.SUCCESS } });

    expect(second.task?.id).not.toBe(first.task?.id);
    expect(late.state?.result).toBe(Result.CANCELLED);
    expect(await rows('select status from task order by id')).toEqual([{ status: 'abandoned' }, { status: 'success' }]);
  });

  it('during its job fails the job, which says so', async () => {
    await makeRun(database.dataSource, [newJob('a')]);
    const runner = await makeRunner(database.dataSource, 'r1');
    const client = runnerClient(timed.url, { uuid: runner.uuid, token: runner.name }).runner;
    const { task } = await client.fetchTask({}, LONG);
    await client.updateTask({ state: { id: task?.id ?? 0n } });

    clock.advance(11 * 60_000);

    await eventually('select status, reason from job', [{ status: 'failure', reason: 'The runner was not heard of for 10m0s.' }]);
    await eventually('select status from run', [{ status: 'failure' }]);
  });

  it('or goes on for longer than the job may is told to stop', async () => {
    await makeRun(database.dataSource, [newJob('a', { timeoutMinutes: 5 })]);
    const runner = await makeRunner(database.dataSource, 'r1');
    const client = runnerClient(timed.url, { uuid: runner.uuid, token: runner.name }).runner;
    const { task } = await client.fetchTask({}, LONG);
    await client.updateTask({ state: { id: task?.id ?? 0n } });

    clock.advance(5 * 60_000 + 1_000);

    await eventually('select status, reason from job', [{ status: 'failure', reason: 'The job ran longer than its limit of 5 minutes.' }]);
    const answer = await client.updateTask({ state: { id: task?.id ?? 0n } });
    expect(answer.state?.result).toBe(Result.CANCELLED);
  });
});

function typesOf(value: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, typeof each]));
}
