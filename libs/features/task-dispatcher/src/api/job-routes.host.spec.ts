import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { transaction } from '@triphammer/models';
import { reportTask } from '@triphammer/runs';
import { ApiHarness, type Home } from './api.harness';

let api: ApiHarness;
let app: Home;

beforeEach(async () => {
  api = await ApiHarness.start();
  app = await api.seedRepository('Acme', 'App');
});

afterEach(() => api.stop());

describe('a job', () => {
  it("has Gitea's shape and words, and what we add", async () => {
    const runId = await api.seedRun(app, [{ key: 'build', name: 'Build', labels: ['Linux'] }]);
    const runnerId = await api.seedRunner('r1');
    const { taskId, jobId } = await api.claim(runnerId);
    const now = api.clock.now();
    const steps = [{ index: 0, status: 'success', startedAt: now, stoppedAt: now, logIndex: 0, logLength: 1 }] as const;
    await transaction(api.database.dataSource, (tx) =>
      reportTask(tx, runnerId, { taskId, result: undefined, startedAt: now, stoppedAt: null, steps, outputs: {} }, now),
    );

    const { body } = await api.call('GET', `/repos/acme/app/actions/jobs/${jobId}`);

    const time = '2026-01-02T03:04:05.000Z';
    expect(body).toEqual({
      id: jobId,
      url: `https://ci.example.com/api/v1/repos/Acme/App/actions/jobs/${jobId}`,
      run_id: runId,
      run_url: `https://ci.example.com/api/v1/repos/Acme/App/actions/runs/${runId}`,
      name: 'Build',
      labels: ['Linux'],
      run_attempt: 1,
      head_sha: 'a'.repeat(40),
      head_branch: 'main',
      status: 'in_progress',
      state: 'running',
      runner_id: runnerId,
      runner_name: 'r1',
      steps: [
        { name: 'Check out', number: 0, status: 'completed', conclusion: 'success', started_at: time, completed_at: time },
        { name: 'Run make', number: 1, status: 'queued' },
      ],
      needs: [],
      waiting: null,
      reason: null,
      created_at: time,
      started_at: time,
    });
    expect((await api.call('GET', `/admin/actions/jobs/${jobId}`)).body).toEqual(body);
  });

  it('says why it waits, until its runner counts as offline and after', async () => {
    await api.seedRun(app, [{ key: 'build' }, { key: 'test', needs: ['build'] }]);
    await api.seedRunner('r1');
    const reasons = async () => (await api.call('GET', '/admin/actions/jobs')).body.jobs.map((job: { waiting: unknown }) => job.waiting);

    const before = await reasons();
    api.clock.advance(121_000);
    const after = await reasons();

    const blocked = { code: 'NEEDS_NOT_DONE', text: 'Waits for build (waiting).' };
    expect(before).toEqual([blocked, { code: 'ABOUT_TO_START', text: 'Goes to the next poll of r1.' }]);
    expect(after).toEqual([blocked, { code: 'RUNNERS_OFFLINE', text: 'Of the runners that fit none is online: r1.' }]);
  });
});

describe('the list of jobs', () => {
  it("is a run's in its order, or of all with the newest first, filtered and paged", async () => {
    const first = await api.seedRun(app, [{ key: 'build' }, { key: 'test', needs: ['build'] }]);
    await api.seedRun(app, [{ key: 'lint' }]);
    const names = async (path: string) => {
      const { headers, body } = await api.call('GET', path);
      return [body.jobs.map((job: { name: string }) => job.name), body.total_count, headers['x-total-count']];
    };

    expect(await names(`/repos/acme/app/actions/runs/${first}/jobs`)).toEqual([['build', 'test'], 2, '2']);
    expect(await names(`/repos/acme/app/actions/runs/${first}/jobs?status=waiting`)).toEqual([['test'], 1, '1']);
    expect(await names('/admin/actions/jobs?limit=2')).toEqual([['lint', 'test'], 3, '3']);
    expect(await names('/admin/actions/jobs?status=queued')).toEqual([['lint', 'build'], 2, '2']);
  });
});
