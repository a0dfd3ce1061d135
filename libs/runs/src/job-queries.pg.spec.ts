import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { poolOf, transaction } from '@triphammer/models';
import { createTestDatabase, type TestDatabase } from '@triphammer/testing';
import { findJob, findJobs } from './job-queries';
import { reportTask } from './report-task';
import { type Home, newJob, NOW, seedClaim, seedRepository, seedRun, seedRunner } from './seed.harness';

const ALL = { page: 1, limit: 50 };

let database: TestDatabase;
let app: Home;

beforeEach(async () => {
  database = await createTestDatabase();
  app = await seedRepository(database.dataSource, 'acme/app');
});

afterEach(() => database.drop());

const sql = () => poolOf(database.dataSource);

describe('the list of jobs', () => {
  it('has a run in its own order, and all runs with the newest first', async () => {
    const first = await seedRun(database.dataSource, app, [newJob('build'), newJob('test', { needs: ['build'] })]);
    const second = await seedRun(database.dataSource, app, [newJob('lint')]);

    const ofRun = await findJobs(sql(), { runId: first }, ALL);
    const ofAll = await findJobs(sql(), {}, { page: 1, limit: 2 });

    expect([ofRun.jobs.map((job) => job.key), ofRun.total]).toEqual([['build', 'test'], 2]);
    expect([ofAll.jobs.map((job) => [job.runId, job.key]), ofAll.total]).toEqual([
      [
        [second, 'lint'],
        [first, 'test'],
      ],
      3,
    ]);
  });

  it("leaves out a run's earlier attempts", async () => {
    const runId = await seedRun(database.dataSource, app, [newJob('build')]);
    await sql().query(`with again as (insert into attempt (run_id, number, triggering_actor, status, created_at) values (${runId}, 2, 'eve', 'waiting', now()) returning id)
      update run set attempt_number = 2 where id = ${runId}`);

    expect(await findJobs(sql(), { runId }, ALL)).toEqual({ jobs: [], total: 0 });
  });

  it('is filtered by status', async () => {
    await seedRun(database.dataSource, app, [newJob('build'), newJob('test', { needs: ['build'] })]);

    const { jobs, total } = await findJobs(sql(), { statuses: ['blocked'] }, ALL);

    expect([jobs.map((job) => job.key), total]).toEqual([['test'], 1]);
  });
});

describe('one job', () => {
  it('comes with its runner and with its steps as far as they were reported', async () => {
    const steps = [{ name: 'Check out', uses: 'actions/checkout@v4' }, { run: 'make all\nmake test' }, { run: 'echo "\u0000"' }];
    await seedRun(database.dataSource, app, [newJob('build', { name: 'Build', steps })]);
    const runnerId = await seedRunner(database.dataSource, 'r1');
    const { taskId, jobId } = await seedClaim(database.dataSource, runnerId);
    const report = { taskId, result: undefined, startedAt: NOW, stoppedAt: null, outputs: {} };
    const reported = { index: 0, status: 'success', startedAt: NOW, stoppedAt: NOW, logIndex: 0, logLength: 3 } as const;
    await transaction(database.dataSource, (tx) => reportTask(tx, runnerId, { ...report, steps: [reported] }, NOW));

    const job = await findJob(sql(), jobId);

    expect(job).toMatchObject({
      key: 'build',
      name: 'Build',
      repository: 'acme/app',
      attempt: 1,
      status: 'running',
      runnerId,
      runnerName: 'r1',
      startedAt: NOW,
    });
    expect(job?.steps).toEqual([
      { index: 0, name: 'Check out', status: 'success', startedAt: NOW, stoppedAt: NOW },
      { index: 1, name: 'Run make all', status: null, startedAt: null, stoppedAt: null },
      { index: 2, name: 'Run echo "\u0000"', status: null, startedAt: null, stoppedAt: null },
    ]);
  });

  it('has neither runner nor steps when it never ran and its workflow is gone', async () => {
    await seedRun(database.dataSource, app, [newJob('build', { payload: '{}' })]);
    const { jobs } = await findJobs(sql(), {}, ALL);

    expect(jobs).toMatchObject([{ runnerId: null, runnerName: null, steps: [] }]);
  });

  it('is not found in another repository', async () => {
    const other = await seedRepository(database.dataSource, 'acme/other');
    await seedRun(database.dataSource, app, [newJob('build')]);
    const [job] = (await findJobs(sql(), {}, ALL)).jobs;

    expect(await findJob(sql(), job?.id ?? 0, other.repositoryId)).toBeUndefined();
    expect((await findJob(sql(), job?.id ?? 0, app.repositoryId))?.key).toBe('build');
  });
});
