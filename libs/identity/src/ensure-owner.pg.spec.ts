import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { poolOf, transaction } from '@triphammer/models';
import { createTestDatabase, type TestDatabase } from '@triphammer/testing';
import { ensureOwner, type ForgeOwner } from './ensure-owner';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
afterEach(() => poolOf(database.dataSource).query('truncate owner'));

const ACME: ForgeOwner = { connectionId: 1, forgeOwnerId: '7', name: 'Acme' };

describe('an owner of a forge', () => {
  it('is made once and found again, in its forge’s spelling', async () => {
    const made = await ensure(ACME);
    const found = await ensure(ACME);

    expect(made).toEqual({ id: expect.any(Number), name: 'Acme' });
    expect(found).toEqual(made);
    expect(await owners()).toEqual(['acme']);
  });

  it('is one owner, however many deliveries bring it at the same time', async () => {
    const made = await Promise.all(Array.from({ length: 16 }, () => ensure(ACME)));

    expect(new Set(made.map((owner) => owner.id)).size).toBe(1);
    expect(await owners()).toEqual(['acme']);
  });

  it('keeps its id when the forge renames it, also when many notice at once', async () => {
    const before = await ensure(ACME);

    const after = await Promise.all(Array.from({ length: 8 }, () => ensure({ ...ACME, name: 'Apex' })));

    expect(new Set(after.map((owner) => owner.id))).toEqual(new Set([before.id]));
    expect(await owners()).toEqual(['apex']);
  });

  it('may change the case of its name', async () => {
    const before = await ensure(ACME);

    expect(await ensure({ ...ACME, name: 'ACME' })).toEqual({ id: before.id, name: 'ACME' });
  });

  it('takes a name over from one of the same forge that must have lost it', async () => {
    const renamedUnheard = await ensure(ACME);
    const newcomer = await ensure({ ...ACME, forgeOwnerId: '9' });
    const heardOf = await ensure({ ...ACME, name: 'Apex' });

    expect(newcomer.id).not.toBe(renamedUnheard.id);
    expect(heardOf.id).toBe(renamedUnheard.id);
    expect(await owners()).toEqual(['acme', 'apex']);
  });

  it.each([
    ['a new owner', async () => {}],
    ['a renamed owner', async () => void (await ensure({ connectionId: 2, forgeOwnerId: '7', name: 'other' }))],
  ])('is refused a name that another connection holds: %s', async (_who, prepare) => {
    await ensure(ACME);
    await prepare();

    const refused = ensure({ connectionId: 2, forgeOwnerId: '7', name: 'acme' });

    await expect(refused).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('forge add --namespace') });
  });

  it('is refused a name that a local owner holds', async () => {
    await poolOf(database.dataSource).query(`insert into owner (name, lower_name) values ('acme', 'acme')`);

    await expect(ensure(ACME)).rejects.toMatchObject({ code: 'conflict' });
  });

  it('gets the name or the refusal, never both, when two connections race for it', async () => {
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((connectionId) => ensure({ ...ACME, connectionId })));

    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    expect(outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []))).toEqual(['conflict', 'conflict', 'conflict']);
  });
});

function ensure(owner: ForgeOwner) {
  return transaction(database.dataSource, (tx) => ensureOwner(tx, owner));
}

async function owners(): Promise<string[]> {
  const found = await poolOf(database.dataSource).query<{ lower_name: string }>('select lower_name from owner order by lower_name');
  return found.rows.map((row) => row.lower_name);
}
