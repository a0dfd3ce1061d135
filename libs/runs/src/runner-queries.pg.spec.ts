import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { poolOf, transaction } from '@triphammer/models';
import { createTestDatabase, type TestDatabase } from '@triphammer/testing';
import { findOwnerId } from './find-owner-id';
import { retireRunner } from './register-runner';
import { findRunner, findRunners, type RunnerFilter } from './runner-queries';
import { type Home, newJob, NOW, seedClaim, seedRepository, seedRun, seedRunner } from './seed.harness';

let database: TestDatabase;
let app: Home;

beforeEach(async () => {
  database = await createTestDatabase();
  app = await seedRepository(database.dataSource, 'Acme/App');
});

afterEach(() => database.drop());

const sql = () => poolOf(database.dataSource);

describe('the list of runners', () => {
  it('is of all, of one owner, or of one repository', async () => {
    await seedRunner(database.dataSource, 'anywhere');
    await seedRunner(database.dataSource, 'of-owner', { scope: { ownerId: app.ownerId } });
    await seedRunner(database.dataSource, 'of-repository', { scope: { repositoryId: app.repositoryId } });
    const names = async (filter: RunnerFilter) => {
      const { runners, total } = await findRunners(sql(), filter, { page: 1, limit: 50 });
      return [runners.map((runner) => runner.name), total];
    };

    expect(await names({})).toEqual([['anywhere', 'of-owner', 'of-repository'], 3]);
    expect(await names({ ownerId: app.ownerId })).toEqual([['of-owner'], 1]);
    expect(await names({ repositoryId: app.repositoryId })).toEqual([['of-repository'], 1]);
  });

  it('leaves out the retired, and goes page by page', async () => {
    const ids = [await seedRunner(database.dataSource, 'a'), await seedRunner(database.dataSource, 'b'), await seedRunner(database.dataSource, 'c')];
    await transaction(database.dataSource, (tx) => retireRunner(tx, ids[0] ?? 0, NOW));

    const second = await findRunners(sql(), {}, { page: 2, limit: 1 });

    expect([second.runners.map((runner) => runner.name), second.total]).toEqual([['c'], 2]);
  });
});

describe('one runner', () => {
  it('comes with its scope and the number of its tasks', async () => {
    await seedRun(database.dataSource, app, [newJob('build')]);
    const id = await seedRunner(database.dataSource, 'r1', { scope: { repositoryId: app.repositoryId } });
    await seedClaim(database.dataSource, id);

    expect(await findRunner(sql(), id)).toMatchObject({ name: 'r1', labels: ['linux'], owner: null, repository: 'Acme/App', lastSeenAt: NOW, tasks: 1 });
  });

  it('is not found once it is retired', async () => {
    const id = await seedRunner(database.dataSource, 'r1');
    await transaction(database.dataSource, (tx) => retireRunner(tx, id, NOW));

    expect(await findRunner(sql(), id)).toBeUndefined();
  });
});

describe('an owner', () => {
  it('is found by its name in any case', async () => {
    expect(await findOwnerId(sql(), 'aCME')).toBe(app.ownerId);
    expect(await findOwnerId(sql(), 'nobody')).toBeUndefined();
  });
});
