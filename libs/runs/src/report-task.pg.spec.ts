import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { poolOf, transaction } from '@triphammer/models';
import type { Runner } from '@triphammer/models/runs';
import { createTestDatabase, makeRun, makeRunner, newJob, type TestDatabase } from '@triphammer/testing';
import { type ClaimedJob, claimJobs } from './claim-jobs';
import { abandonTask, endTask } from './end-task';
import { labelKey } from './labels';
import { reportTask, type TaskReport } from './report-task';
import { resolveRun } from './resolve-run';
import { readTaskContent } from './task-content';

let database: TestDatabase;
let runner: Runner;
beforeEach(async () => {
  database = await createTestDatabase();
  runner = await makeRunner(database.dataSource, 'r1');
});
afterEach(() => database.drop());

const NOW = new Date('2026-03-01T10:00:00Z');

async function claimOne(): Promise<ClaimedJob> {
  const scope = { ownerId: null, repositoryId: null };
  const [job] = await transaction(database.dataSource, (tx) => claimJobs(tx, labelKey(['linux']), scope, [{ runnerId: runner.id, requestKey: null }], NOW));
  if (!job) throw new Error('nothing to claim');
  return job;
}

function report(taskId: number, facts: Partial<TaskReport> = {}) {
  const whole: TaskReport = { taskId, result: undefined, startedAt: NOW, stoppedAt: null, steps: [], outputs: {}, ...facts };
  return transaction(database.dataSource, (tx) => reportTask(tx, runner.id, whole, NOW));
}

const rows = async (statement: string) => (await poolOf(database.dataSource).query(statement)).rows;

describe('a report of a task', () => {
  it('with the same terminal state twice finishes the job once', async () => {
    await makeRun(database.dataSource, [newJob('a')]);
    const { taskId } = await claimOne();

    const first = await report(taskId, { result: 'success' });
    const second = await report(taskId, { result: 'success' });

    expect([first.verdict, second.verdict]).toEqual(['go-on', 'go-on']);
    expect(await rows(`select count(*) from outbox where event = 'job.finished'`)).toEqual([{ count: 1 }]);
    expect(await rows('select status from job')).toEqual([{ status: 'success' }]);
  });

  it('names every output that is settled, the unfit ones too, so that none is sent for ever', async () => {
    await makeRun(database.dataSource, [newJob('a')]);
    const { taskId } = await claimOne();

    await report(taskId, { outputs: { kept: '1' } });
    const answer = await report(taskId, { outputs: { tooLong: 'x'.repeat(1024 * 1024 + 1), nul: 'a\0b', ['k'.repeat(256)]: 'v' } });

    expect([...answer.sentOutputs].sort()).toEqual(['kept', 'k'.repeat(256), 'nul', 'tooLong']);
    expect(await rows('select key, value from task_output')).toEqual([{ key: 'kept', value: '1' }]);
  });

  it('of steps keeps the latest of each', async () => {
    await makeRun(database.dataSource, [newJob('a')]);
    const { taskId } = await claimOne();
    const step = { index: 0, startedAt: NOW, stoppedAt: null, logIndex: 0, logLength: 3 };

    await report(taskId, { steps: [{ ...step, status: 'running' }] });
    await report(taskId, { steps: [{ ...step, status: 'success', stoppedAt: NOW, logLength: 9 }] });

    expect(await rows('select index, status, log_length from task_step')).toEqual([{ index: 0, status: 'success', log_length: 9 }]);
  });

  it('of another runner finds no such task', async () => {
    await makeRun(database.dataSource, [newJob('a')]);
    const { taskId } = await claimOne();
    runner = await makeRunner(database.dataSource, 'r2');

    await expect(report(taskId)).rejects.toMatchObject({ code: 'not-found' });
    await expect(report(taskId + 1_000)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('that comes after the task was given up is told to stop, and the new task goes on', async () => {
    await makeRun(database.dataSource, [newJob('a')]);
    const old = await claimOne();
    await transaction(database.dataSource, (tx) => abandonTask(tx, old.taskId, NOW));
    const next = await claimOne();

    const late = await report(old.taskId, { result: 'success' });
    const answer = await report(next.taskId);

    expect([late.verdict, answer.verdict]).toEqual(['cancelled', 'go-on']);
    expect(await rows('select status, task_id from job')).toEqual([{ status: 'running', task_id: next.taskId }]);
  });

  it('of success after we ended the task changes nothing', async () => {
    await makeRun(database.dataSource, [newJob('a')]);
    const { taskId } = await claimOne();
    await report(taskId);
    await transaction(database.dataSource, (tx) => endTask(tx, taskId, 'cancelled', 'Cancelled by a test.', NOW));

    const late = await report(taskId, { result: 'success' });

    expect(late.verdict).toBe('cancelled');
    expect(await rows('select status, reason from job')).toEqual([{ status: 'cancelled', reason: 'Cancelled by a test.' }]);
  });

  it('beats the watchdog once it is there', async () => {
    await makeRun(database.dataSource, [newJob('a')]);
    const { taskId } = await claimOne();
    await report(taskId);

    expect(await transaction(database.dataSource, (tx) => abandonTask(tx, taskId, NOW))).toBe(false);
  });
});

describe('the end of a job', () => {
  const finish = async (result: TaskReport['result'], outputs = {}) => {
    const job = await claimOne();
    await report(job.taskId, { result, outputs });
    await transaction(database.dataSource, (tx) => resolveRun(tx, job.runId, NOW));
    return job;
  };

  it('releases its dependents, which get its outputs', async () => {
    await makeRun(database.dataSource, [newJob('a'), newJob('b', { needs: ['a'] })]);

    await finish('success', { x: '42' });
    const b = await claimOne();

    const content = await readTaskContent(poolOf(database.dataSource), b.taskId);
    expect(content?.needs).toEqual({ a: { result: 'success', outputs: { x: '42' } } });
    expect(await rows('select status from run')).toEqual([{ status: 'running' }]);
  });

  it('in failure skips its dependents and settles the run', async () => {
    await makeRun(database.dataSource, [newJob('a'), newJob('b', { needs: ['a'] }), newJob('c', { needs: ['b'] })]);

    await finish('failure');

    expect(await rows('select key, status from job order by id')).toEqual([
      { key: 'a', status: 'failure' },
      { key: 'b', status: 'skipped' },
      { key: 'c', status: 'skipped' },
    ]);
    expect(await rows('select run.status, attempt.status as attempt, run.stopped_at from run join attempt on run_id = run.id')).toEqual([
      { status: 'failure', attempt: 'failure', stopped_at: NOW },
    ]);
  });

  it('R09: of 200 jobs at once, each resolved in a transaction of its own, loses no run', async () => {
    for (let run = 0; run < 10; run += 1) {
      await makeRun(database.dataSource, [...Array.from({ length: 20 }, (_, index) => newJob(`j${index}`)), newJob('last', { needs: ['j0', 'j19'] })]);
    }
    const claimed = await Promise.all(Array.from({ length: 200 }, () => claimOne()));

    await Promise.all(
      claimed.map(async (job) => {
        await report(job.taskId, { result: 'success' });
        await transaction(database.dataSource, (tx) => resolveRun(tx, job.runId, NOW));
      }),
    );

    expect(await rows(`select status, count(*) from job group by 1 order by 1`)).toEqual([
      { status: 'success', count: 200 },
      { status: 'waiting', count: 10 },
    ]);
    expect(await rows(`select status, count(*) from run group by 1`)).toEqual([{ status: 'waiting', count: 10 }]);
  }, 30_000);
});
