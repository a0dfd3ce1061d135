import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { poolOf, transaction } from '@triphammer/models';
import { createTestDatabase, type TestDatabase } from '@triphammer/testing';
import { cancelRun } from './cancel-run';
import { claimJobs } from './claim-jobs';
import { labelKey } from './labels';
import { reportTask, type TaskReport } from './report-task';
import { resolveRun } from './resolve-run';
import { type Home, newJob, NOW, seedClaim, seedRepository, seedRun, seedRunner } from './seed.harness';
import { noteHeard } from './sweeps';

const LATER = new Date(NOW.getTime() + 60_000);

let database: TestDatabase;
let app: Home;

beforeEach(async () => {
  database = await createTestDatabase();
  app = await seedRepository(database.dataSource, 'acme/app');
});

afterEach(() => database.drop());

const cancel = (runId: number, now = LATER) => transaction(database.dataSource, (tx) => cancelRun(tx, runId, now));
const report = (runnerId: number, taskId: number, result: TaskReport['result']) =>
  transaction(database.dataSource, (tx) => reportTask(tx, runnerId, { taskId, result, startedAt: null, stoppedAt: null, steps: [], outputs: {} }, LATER));

/** Run, jobs and tasks in one line each, and the jobs that were said to be finished. */
async function state(runId: number) {
  const pool = poolOf(database.dataSource);
  const runs = await pool.query('select status, stopped_at from run where id = $1', [runId]);
  const attempts = await pool.query('select status from attempt where run_id = $1', [runId]);
  const jobs = await pool.query('select id, key, status, reason from job where run_id = $1 order by position', [runId]);
  const tasks = await pool.query('select status from task where run_id = $1 order by id', [runId]);
  const finished = await pool.query(`select (payload->>'jobId')::bigint as id from outbox where event = 'job.finished' order by 1`);
  return {
    run: runs.rows[0].status,
    stoppedAt: runs.rows[0].stopped_at,
    attempt: attempts.rows[0].status,
    jobs: jobs.rows.map((job) => `${job.key} ${job.status}`),
    reasons: jobs.rows.map((job) => job.reason),
    tasks: tasks.rows.map((task) => task.status),
    finished: finished.rows.map((row) => jobs.rows.find((job) => job.id === row.id)?.key),
  };
}

describe('cancelling a run', () => {
  it('ends jobs that no runner has at once', async () => {
    const runId = await seedRun(database.dataSource, app, [newJob('build'), newJob('test', { needs: ['build'] })]);

    await cancel(runId);

    expect(await state(runId)).toEqual({
      run: 'cancelled',
      stoppedAt: LATER,
      attempt: 'cancelled',
      jobs: ['build cancelled', 'test cancelled'],
      reasons: ['The run was cancelled.', 'The run was cancelled.'],
      tasks: [],
      finished: ['build', 'test'],
    });
  });

  it.each([
    ['cannot wind it down', 'cancelled', [], true],
    ['could wind it down, but was not heard of yet', 'cancelled', ['cancelling'], false],
    ['has begun and winds it down', 'cancelling', ['cancelling'], true],
  ])('makes a task whose runner %s %s', async (_case, status, capabilities, hasBegun) => {
    const runId = await seedRun(database.dataSource, app, [newJob('build'), newJob('test', { needs: ['build'] })]);
    const runnerId = await seedRunner(database.dataSource, 'r1', { capabilities });
    const { taskId } = await seedClaim(database.dataSource, runnerId);
    if (hasBegun) await noteHeard(poolOf(database.dataSource), [taskId], NOW);

    await cancel(runId);

    expect(await state(runId)).toMatchObject({ run: status, attempt: status, jobs: [`build ${status}`, 'test cancelled'], tasks: [status] });
  });

  it('is complete when the runner has wound its task down, whatever the result it gives', async () => {
    const runId = await seedRun(database.dataSource, app, [newJob('build')]);
    const runnerId = await seedRunner(database.dataSource, 'r1', { capabilities: ['cancelling'] });
    const { taskId } = await seedClaim(database.dataSource, runnerId);
    await report(runnerId, taskId, undefined);
    await cancel(runId);
    const answer = await report(runnerId, taskId, 'success');
    await transaction(database.dataSource, (tx) => resolveRun(tx, runId, LATER));

    expect(answer.verdict).toBe('cancelled');
    expect(await state(runId)).toMatchObject({
      run: 'cancelled',
      jobs: ['build cancelled'],
      reasons: ['The run was cancelled.'],
      tasks: ['cancelled'],
      finished: ['build'],
    });
  });

  it.each([
    ['done', []],
    ['still winding down', ['cancelling']],
  ])('a second time, when the first is %s, changes nothing', async (_case, capabilities) => {
    const runId = await seedRun(database.dataSource, app, [newJob('build'), newJob('lint', { labels: ['other'] })]);
    const runnerId = await seedRunner(database.dataSource, 'r1', { capabilities });
    const { taskId } = await seedClaim(database.dataSource, runnerId);
    await report(runnerId, taskId, undefined);
    await cancel(runId);
    const once = await state(runId);

    await cancel(runId, new Date(LATER.getTime() + 60_000));

    expect(await state(runId)).toEqual(once);
  });

  it('leaves what is over as it is', async () => {
    const runId = await seedRun(database.dataSource, app, [newJob('build'), newJob('lint', { labels: ['other'] })]);
    const runnerId = await seedRunner(database.dataSource, 'r1');
    const { taskId } = await seedClaim(database.dataSource, runnerId);
    await report(runnerId, taskId, 'success');

    await cancel(runId);

    expect(await state(runId)).toMatchObject({ run: 'cancelled', jobs: ['build success', 'lint cancelled'], tasks: ['success'] });
  });

  it('does nothing to a run that has ended', async () => {
    const runId = await seedRun(database.dataSource, app, [newJob('build')]);
    const runnerId = await seedRunner(database.dataSource, 'r1');
    await report(runnerId, (await seedClaim(database.dataSource, runnerId)).taskId, 'failure');
    await transaction(database.dataSource, (tx) => resolveRun(tx, runId, NOW));
    const ended = await state(runId);

    await cancel(runId);

    expect(await state(runId)).toEqual(ended);
    expect(ended).toMatchObject({ run: 'failure', jobs: ['build failure'] });
  });

  it('and claiming its jobs at the same time leaves no job behind', async () => {
    const jobs = Array.from({ length: 6 }, (_, index) => newJob(`job${index}`));
    const runnerId = await seedRunner(database.dataSource, 'r1');
    const claim = () =>
      transaction(database.dataSource, (tx) =>
        claimJobs(
          tx,
          labelKey(['linux']),
          { ownerId: null, repositoryId: null },
          Array.from({ length: 2 }, () => ({ runnerId, requestKey: null })),
          NOW,
        ),
      );
    const runIds = [];
    for (let round = 0; round < 3; round += 1) {
      const runId = await seedRun(database.dataSource, app, jobs);
      runIds.push(runId);

      await Promise.all([claim(), cancel(runId), claim(), cancel(runId), claim()]);
    }

    for (const runId of runIds) {
      const { run, jobs: ended, finished } = await state(runId);
      expect([run, ended]).toEqual(['cancelled', jobs.map((job) => `${job.key} cancelled`)]);
      expect(finished.filter((key) => key !== undefined).sort()).toEqual(jobs.map((job) => job.key));
    }
    // Postgres takes a second to see that a claim and a cancellation wait for each other; the victim is repeated.
  }, 30_000);
});
