import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { poolOf, transaction } from '@triphammer/models';
import { createTestDatabase, type TestDatabase } from '@triphammer/testing';
import type { RepositoryFacts } from './forge-event';
import { clear, FACTS, makeOwner } from './forges.harness';
import { ensureRepository, findRepository, readRepository } from './repositories';

let database: TestDatabase;
let ownerId: number;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  ownerId = await makeOwner(database.dataSource, 'Acme');
});
afterAll(() => database.drop());
afterEach(() => clear(database.dataSource));

describe('a repository of a forge', () => {
  it('is made once and found by its number, and by its name in any case', async () => {
    const id = await ensure(FACTS);
    const sql = poolOf(database.dataSource);
    const record = {
      id,
      ownerId,
      ownerName: 'Acme',
      name: 'App',
      connectionId: 1,
      forgeRepositoryId: '7',
      forgeFullName: 'Acme/App',
      defaultBranch: 'main',
      isPrivate: false,
    };

    expect(await ensure(FACTS)).toBe(id);
    expect(await readRepository(sql, id)).toEqual(record);
    expect(await findRepository(sql, 'aCME', 'aPP')).toEqual(record);
    expect(await findRepository(sql, 'acme', 'other')).toBeUndefined();
    await expect(readRepository(sql, 999)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('is one repository, however many deliveries bring it at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 16 }, () => ensure(FACTS)));

    expect(new Set(ids).size).toBe(1);
  });

  it('is left untouched by a delivery that says nothing new', async () => {
    await ensure(FACTS);
    const before = await database.dataSource.query('select xmin from repository');

    await ensure(FACTS);

    expect(await database.dataSource.query('select xmin from repository')).toEqual(before);
  });

  it('follows a rename, a transfer and a change by its number, also when many notice at once', async () => {
    const id = await ensure(FACTS);
    const newOwner = await makeOwner(database.dataSource, 'Apex');
    const facts = { ...FACTS, ownerName: 'Apex', name: 'Tool', fullName: 'Apex/Tool', defaultBranch: 'trunk', isPrivate: true };

    const ids = await Promise.all(Array.from({ length: 8 }, () => ensure(facts, newOwner)));

    expect(new Set(ids)).toEqual(new Set([id]));
    expect(await readRepository(poolOf(database.dataSource), id)).toMatchObject({
      ownerId: newOwner,
      name: 'Tool',
      forgeFullName: 'Apex/Tool',
      defaultBranch: 'trunk',
      isPrivate: true,
    });
    expect(await findRepository(poolOf(database.dataSource), 'acme', 'app')).toBeUndefined();
  });

  it('takes the name over from one that must have been renamed without a word', async () => {
    const renamed = await ensure(FACTS);
    const newcomer = await ensure({ ...FACTS, forgeRepositoryId: '8' });
    const sql = poolOf(database.dataSource);

    expect(newcomer).not.toBe(renamed);
    expect((await findRepository(sql, 'acme', 'app'))?.id).toBe(newcomer);
    expect(await readRepository(sql, renamed)).toMatchObject({ name: `App~${renamed}` });
    await ensure({ ...FACTS, name: 'Moved', fullName: 'Acme/Moved' });
    expect((await findRepository(sql, 'acme', 'moved'))?.id).toBe(renamed);
  });

  it.each([
    ['another owner of its forge brings in the same namespace', 1, { ...FACTS, forgeRepositoryId: '8', fullName: 'Other/App' }],
    ['another connection brings', 2, FACTS],
  ])('keeps its name against one that %s', async (_who, connectionId, facts) => {
    await ensure(FACTS);

    await expect(ensure(facts, ownerId, connectionId)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining(facts.fullName) });
  });

  it('cannot be renamed onto another of the namespace', async () => {
    await ensure(FACTS);
    await ensure({ ...FACTS, forgeRepositoryId: '8', name: 'Tool', fullName: 'Other/Tool' });

    await expect(ensure({ ...FACTS, forgeRepositoryId: '8', name: 'App', fullName: 'Other/App' })).rejects.toMatchObject({ code: 'conflict' });
  });
});

function ensure(facts: RepositoryFacts, owner = ownerId, connectionId = 1): Promise<number> {
  return transaction(database.dataSource, (tx) => ensureRepository(tx, connectionId, facts, owner));
}
