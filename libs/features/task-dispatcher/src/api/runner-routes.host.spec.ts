import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { transaction } from '@triphammer/models';
import { registerRunner } from '@triphammer/runs';
import { ApiHarness, type Home } from './api.harness';

let api: ApiHarness;
let app: Home;

beforeEach(async () => {
  api = await ApiHarness.start();
  app = await api.seedRepository('Acme', 'App');
});

afterEach(() => api.stop());

describe('a runner', () => {
  it("has Gitea's shape, and what we add", async () => {
    const id = await api.seedRunner('r1', ['linux', 'GPU'], { repositoryId: app.repositoryId });

    const { body } = await api.call('GET', `/admin/actions/runners/${id}`);

    expect(body).toEqual({
      id,
      name: 'r1',
      status: 'online',
      busy: false,
      disabled: false,
      ephemeral: false,
      labels: [
        { id: 0, name: 'linux', type: 'custom' },
        { id: 1, name: 'GPU', type: 'custom' },
      ],
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      version: 'v1.0.8',
      owner: null,
      repository: 'Acme/App',
      created_at: '2026-01-02T03:04:05.000Z',
      last_seen_at: '2026-01-02T03:04:05.000Z',
    });
  });

  it('is busy while it has a task, and offline when it was not seen for too long', async () => {
    await api.seedRun(app, [{ key: 'build' }]);
    const id = await api.seedRunner('r1');
    const words = async () => {
      const { body } = await api.call('GET', `/admin/actions/runners/${id}`);
      return [body.status, body.busy];
    };

    const idle = await words();
    await api.claim(id);
    const busy = await words();
    api.clock.advance(120_000);
    const atTheLimit = await words();
    api.clock.advance(1);

    expect([idle, busy, atTheLimit, await words()]).toEqual([
      ['online', false],
      ['online', true],
      ['online', true],
      ['offline', true],
    ]);
  });

  it('is gone once it was removed', async () => {
    const id = await api.seedRunner('r1');

    const answers = [await api.call('DELETE', `/admin/actions/runners/${id}`), await api.call('DELETE', `/admin/actions/runners/${id}`)];

    expect(answers.map((answer) => answer.status)).toEqual([204, 404]);
    expect((await api.call('GET', '/admin/actions/runners')).body).toEqual({ total_count: 0, runners: [] });
  });
});

describe('the list of runners', () => {
  it('is of all, of an owner, or of a repository, and paged', async () => {
    await api.seedRunner('anywhere');
    await api.seedRunner('of-owner', ['linux'], { ownerId: app.ownerId });
    await api.seedRunner('of-repository', ['linux'], { repositoryId: app.repositoryId });
    const names = async (path: string) => {
      const { headers, body } = await api.call('GET', path);
      return [body.runners.map((runner: { name: string }) => runner.name), headers['x-total-count']];
    };

    expect(await names('/admin/actions/runners?limit=2')).toEqual([['anywhere', 'of-owner'], '3']);
    expect(await names('/orgs/acme/actions/runners')).toEqual([['of-owner'], '1']);
    expect(await names('/repos/acme/app/actions/runners')).toEqual([['of-repository'], '1']);
  });
});

describe('a registration token', () => {
  it.each([
    ['/admin/actions/runners/registration-token', () => ({ ownerId: null, repositoryId: null })],
    ['/orgs/acme/actions/runners/registration-token', () => ({ ownerId: app.ownerId, repositoryId: null })],
    ['/repos/acme/app/actions/runners/registration-token', () => ({ ownerId: null, repositoryId: app.repositoryId })],
  ])('of %s registers runners of that scope', async (path, scope) => {
    const { status, body } = await api.call('POST', path);
    const registration = { token: body.token, name: 'r1', labels: [], capabilities: [], version: '', ephemeral: false };
    const { runner } = await transaction(api.database.dataSource, (tx) => registerRunner(tx, registration, api.clock.now()));

    expect(status).toBe(200);
    expect({ ownerId: runner.ownerId, repositoryId: runner.repositoryId }).toEqual(scope());
  });

  it('is another each time', async () => {
    const tokens = [1, 2].map(async () => (await api.call('POST', '/admin/actions/runners/registration-token')).body.token);

    expect(new Set(await Promise.all(tokens)).size).toBe(2);
  });
});
