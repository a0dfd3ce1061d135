import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { poolOf, transaction } from '@triphammer/models';
import { createTestDatabase, type TestDatabase } from '@triphammer/testing';
import { cancelRun } from './cancel-run';
import { findRun, findRuns, type RunFilter } from './run-queries';
import { type Home, newJob, NOW, seedRepository, seedRun } from './seed.harness';

const ALL = { page: 1, limit: 50 };

let database: TestDatabase;
let app: Home;
let lib: Home;

beforeEach(async () => {
  database = await createTestDatabase();
  app = await seedRepository(database.dataSource, 'Acme/App');
  lib = await seedRepository(database.dataSource, 'Acme/Lib');
});

afterEach(() => database.drop());

const sql = () => poolOf(database.dataSource);
const run = (home: Home, facts: Parameters<typeof seedRun>[3] = {}) => seedRun(database.dataSource, home, [newJob('build')], facts);

describe('the list of runs', () => {
  it('has the newest first, a page at a time, with the number of all', async () => {
    const ids = [await run(app), await run(app), await run(app)];

    const first = await findRuns(sql(), { repositoryId: app.repositoryId }, { page: 1, limit: 2 });
    const second = await findRuns(sql(), { repositoryId: app.repositoryId }, { page: 2, limit: 2 });

    expect([first.runs.map((each) => each.id), first.total]).toEqual([[ids[2], ids[1]], 3]);
    expect([second.runs.map((each) => each.id), second.total]).toEqual([[ids[0]], 3]);
  });

  it('is of one repository, or of all', async () => {
    const [first, second] = [await run(app), await run(lib)];

    const ofApp = await findRuns(sql(), { repositoryId: app.repositoryId }, ALL);
    const ofAll = await findRuns(sql(), {}, ALL);

    expect(ofApp.runs.map((each) => each.id)).toEqual([first]);
    expect(ofAll.runs.map((each) => each.id)).toEqual([second, first]);
  });

  it.each<[string, RunFilter]>([
    ['event', { event: 'pull_request' }],
    ['ref', { ref: 'refs/heads/dev' }],
    ['actor, in any case', { actor: 'GRACE' }],
    ['commit', { sha: 'b'.repeat(40) }],
    ['status', { statuses: ['cancelled', 'failure'] }],
  ])('is filtered by %s', async (_name, filter) => {
    await run(app);
    const wanted = await run(app, { event: 'pull_request', ref: 'refs/heads/dev', actor: 'grace', sha: 'b'.repeat(40) });
    await transaction(database.dataSource, (tx) => cancelRun(tx, wanted, NOW));

    const { runs, total } = await findRuns(sql(), filter, ALL);

    expect([runs.map((each) => each.id), total]).toEqual([[wanted], 1]);
  });
});

describe('one run', () => {
  it('comes with its repository and its latest attempt', async () => {
    const id = await run(app);

    expect(await findRun(sql(), id)).toEqual({
      id,
      number: 1,
      repository: { id: app.repositoryId, owner: 'Acme', name: 'App', isPrivate: false, defaultBranch: 'main' },
      workflow: 'ci.yml',
      workflowName: 'ci',
      title: 'Fix the roof',
      event: 'push',
      ref: 'refs/heads/main',
      sha: 'a'.repeat(40),
      actor: 'ada',
      triggeringActor: 'ada',
      status: 'waiting',
      attempt: 1,
      createdAt: NOW,
      startedAt: null,
      stoppedAt: null,
    });
  });

  it('is not found in another repository', async () => {
    const id = await run(app);

    expect(await findRun(sql(), id, lib.repositoryId)).toBeUndefined();
    expect((await findRun(sql(), id, app.repositoryId))?.id).toBe(id);
  });
});
