import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiHarness, type Home } from './api.harness';

let api: ApiHarness;
let app: Home;

beforeEach(async () => {
  api = await ApiHarness.start();
  app = await api.seedRepository('Acme', 'App');
});

afterEach(() => api.stop());

describe('a run', () => {
  it("has Gitea's shape and words, and what we add", async () => {
    const id = await api.seedRun(app, [{ key: 'build' }]);

    const { status, body } = await api.call('GET', `/repos/acme/app/actions/runs/${id}`);

    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      url: `https://ci.example.com/api/v1/repos/Acme/App/actions/runs/${id}`,
      display_title: 'Fix the roof',
      path: 'ci.yml@refs/heads/main',
      event: 'push',
      run_attempt: 1,
      run_number: 1,
      repository_id: app.repositoryId,
      repository: { id: app.repositoryId, name: 'App', full_name: 'Acme/App', owner: { login: 'Acme' }, private: true, default_branch: 'main' },
      head_sha: 'a'.repeat(40),
      head_branch: 'main',
      status: 'queued',
      state: 'waiting',
      actor: { login: 'ada' },
      trigger_actor: { login: 'ada' },
      workflow_name: 'CI',
      created_at: '2026-01-02T03:04:05.000Z',
    });
    expect(await api.call('GET', `/admin/actions/runs/${id}`)).toMatchObject({ status: 200, body });
  });

  it('of a tag has no branch', async () => {
    const id = await api.seedRun(app, [{ key: 'build' }], 'refs/tags/v1');

    const { body } = await api.call('GET', `/admin/actions/runs/${id}`);

    expect([body.path, 'head_branch' in body]).toEqual(['ci.yml@refs/tags/v1', false]);
  });
});

describe('the list of runs', () => {
  it("is paged by Gitea's headers, which keep the filter", async () => {
    for (let count = 0; count < 3; count += 1) await api.seedRun(app, [{ key: 'build' }]);

    const { headers, body } = await api.call('GET', '/repos/acme/app/actions/runs?branch=main&limit=1&page=2');

    expect([body.total_count, body.workflow_runs.map((run: { run_number: number }) => run.run_number)]).toEqual([3, [2]]);
    expect(headers['x-total-count']).toBe('3');
    expect(headers['link']).toContain('<https://ci.example.com/api/v1/repos/acme/app/actions/runs?branch=main&limit=1&page=3>; rel="next"');
  });

  it('is of one repository, or of all', async () => {
    const lib = await api.seedRepository('acme', 'lib');
    const [first, second] = [await api.seedRun(app, [{ key: 'build' }]), await api.seedRun(lib, [{ key: 'build' }])];
    const ids = async (path: string) => (await api.call('GET', path)).body.workflow_runs.map((run: { id: number }) => run.id);

    expect(await ids('/repos/acme/app/actions/runs')).toEqual([first]);
    expect(await ids('/admin/actions/runs')).toEqual([second, first]);
  });

  it.each([
    ['event=push', ['main', 'dev']],
    ['event=pull_request', []],
    ['branch=dev', ['dev']],
    ['actor=Ada', ['main', 'dev']],
    ['actor=eve', []],
    [`head_sha=${'b'.repeat(40)}`, []],
    ['status=queued', ['main']],
    ['status=completed', ['dev']],
    ['status=queued&status=cancelled', ['main', 'dev']],
  ])('is filtered by %s', async (query, branches) => {
    const cancelled = await api.seedRun(app, [{ key: 'build' }], 'refs/heads/dev');
    await api.seedRun(app, [{ key: 'build' }]);
    await api.call('POST', `/repos/acme/app/actions/runs/${cancelled}/cancel`);

    const { body } = await api.call('GET', `/repos/acme/app/actions/runs?${query}`);

    expect(body.workflow_runs.map((run: { head_branch: string }) => run.head_branch)).toEqual(branches);
  });
});

describe('cancelling a run', () => {
  it('is answered 204, again and again, and ends its jobs', async () => {
    const id = await api.seedRun(app, [{ key: 'build' }, { key: 'test', needs: ['build'] }]);

    const answers = [await api.call('POST', `/repos/acme/app/actions/runs/${id}/cancel`), await api.call('POST', `/repos/acme/app/actions/runs/${id}/cancel`)];

    expect(answers.map((answer) => [answer.status, answer.body])).toEqual([
      [204, undefined],
      [204, undefined],
    ]);
    const { body: run } = await api.call('GET', `/repos/acme/app/actions/runs/${id}`);
    const { body: list } = await api.call('GET', `/repos/acme/app/actions/runs/${id}/jobs`);
    expect(run).toMatchObject({ status: 'completed', conclusion: 'cancelled', completed_at: '2026-01-02T03:04:05.000Z' });
    expect(list.jobs).toMatchObject([
      { name: 'build', status: 'completed', conclusion: 'cancelled', waiting: null, reason: 'The run was cancelled.' },
      { name: 'test', status: 'completed', conclusion: 'cancelled', waiting: null, reason: 'The run was cancelled.' },
    ]);
  });
});
