import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApiDocument } from '@triphammer/api-kit';
import { ApiHarness, type Home } from './api.harness';
import { TASK_DISPATCHER_API } from './task-dispatcher-api';

let api: ApiHarness;
let app: Home;

beforeAll(async () => {
  api = await ApiHarness.start();
  app = await api.seedRepository('Acme', 'App');
  await api.seedRepository('acme', 'other');
  await api.seedRun(app, [{ key: 'build' }]);
  await api.seedRunner('r1');
});

afterAll(() => api.stop());

describe('every route', () => {
  it.each(TASK_DISPATCHER_API.map((route) => [route.method, route.path] as const))('%s %s demands the token', async (method, path) => {
    const url = `/api/v1${path
      .replace('{owner}', 'acme')
      .replace('{repo}', 'app')
      .replace('{org}', 'acme')
      .replaceAll(/\{\w+\}/g, '1')}`;

    const without = await api.server.inject({ method, url });
    const wrong = await api.server.inject({ method, url, headers: { authorization: 'token wrong' } });

    expect([without.statusCode, wrong.statusCode]).toEqual([401, 401]);
    expect(without.headers['www-authenticate']).toMatch(/^Bearer /);
  });

  it('is described, with what its list is wrapped in', () => {
    const document = openApiDocument(TASK_DISPATCHER_API, '0') as { paths: Record<string, Record<string, { responses: Record<string, unknown> }>> };
    const runs = document.paths['/repos/{owner}/{repo}/actions/runs']?.['get']?.responses['200'];

    expect(Object.keys(document.paths)).toHaveLength(new Set(TASK_DISPATCHER_API.map((route) => route.path)).size);
    expect(runs).toMatchObject({ content: { 'application/json': { schema: { required: ['total_count', 'workflow_runs'] } } } });
  });
});

describe('a path that names nothing', () => {
  it.each([
    ['GET', '/repos/acme/nothing/actions/runs', 'There is no repository acme/nothing. A repository becomes known with its first webhook.'],
    ['GET', '/repos/nobody/app/actions/runners', 'There is no repository nobody/app. A repository becomes known with its first webhook.'],
    ['GET', '/orgs/nobody/actions/runners', 'There is no owner nobody. An owner becomes known with the first webhook of a repository.'],
    ['POST', '/orgs/nobody/actions/runners/registration-token', 'There is no owner nobody. An owner becomes known with the first webhook of a repository.'],
    ['GET', '/repos/acme/app/actions/runs/99', 'There is no run 99.'],
    ['GET', '/repos/acme/app/actions/runs/abc', 'There is no run abc.'],
    ['GET', '/repos/acme/app/actions/runs/1e3', 'There is no run 1e3.'],
    ['GET', '/repos/acme/app/actions/runs/99999999999999999999', 'There is no run 99999999999999999999.'],
    ['GET', '/repos/acme/app/actions/runs/99/jobs', 'There is no run 99.'],
    ['POST', '/repos/acme/app/actions/runs/99/cancel', 'There is no run 99.'],
    ['GET', '/repos/acme/app/actions/jobs/99', 'There is no job 99.'],
    ['GET', '/admin/actions/jobs/99', 'There is no job 99.'],
    ['GET', '/admin/actions/runners/99', 'There is no runner 99.'],
    ['DELETE', '/admin/actions/runners/99', 'There is no runner 99.'],
  ] as const)('%s %s is answered 404', async (method, path, message) => {
    const answer = await api.call(method, path);

    expect([answer.status, answer.body]).toEqual([404, { message }]);
  });
});

describe('a run or job of another repository', () => {
  it.each([
    ['GET', '/repos/acme/other/actions/runs/1'],
    ['GET', '/repos/acme/other/actions/runs/1/jobs'],
    ['POST', '/repos/acme/other/actions/runs/1/cancel'],
    ['GET', '/repos/acme/other/actions/jobs/1'],
  ] as const)('is not to be had by %s %s', async (method, path) => {
    const there = await api.call(method, path);
    const here = await api.call('GET', '/repos/ACME/app/actions/runs/1');

    expect(there.status).toBe(404);
    expect([here.status, here.body.state]).toEqual([200, 'waiting']);
  });
});

describe('a query', () => {
  it.each([
    ['status=sleeping', /status/],
    ['limit=51', /limit/],
    ['page=0', /page/],
  ])('with %s is refused by name', async (query, message) => {
    const answer = await api.call('GET', `/admin/actions/runs?${query}`);

    expect([answer.status, answer.body.message]).toEqual([422, expect.stringMatching(message)]);
  });
});
