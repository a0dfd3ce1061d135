import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@triphammer/testing';
import { assertMigrated, migrate, poolOf, transaction } from './index';
import { Owner } from './identity';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('the migrated schema', () => {
  it('is what the entities describe', async () => {
    const statements = await database.dataSource.driver.createSchemaBuilder().log();

    expect(statements.upQueries.map((query) => query.query)).toEqual([]);
  });

  it('is left alone by a second migration, however many processes try', async () => {
    const done = await Promise.all([migrate(database.dataSource), migrate(database.dataSource)]);

    expect(done).toEqual([[], []]);
    await assertMigrated(database.dataSource);
  });

  it('is refused when a newer version has migrated it', async () => {
    const newer = await createTestDatabase();
    await poolOf(newer.dataSource).query(`insert into migration (timestamp, name) values (9, 'FromTheFuture9')`);

    await expect(migrate(newer.dataSource)).rejects.toThrow(/FromTheFuture9.*newer version/);
    await newer.drop();
  });
});

describe('a transaction', () => {
  it('gives TypeORM and named SQL the same connection, and ids as plain numbers', async () => {
    const seen = await transaction(database.dataSource, async (tx) => {
      const owner = await tx.manager.save(tx.manager.create(Owner, { name: 'Acme', lowerName: 'acme' }));
      const rows = await tx.sql.query<{ id: number; count: number }>({ text: 'select id, count(*) over () as count from owner' });
      return { owner, rows: rows.rows };
    });

    expect(typeof seen.owner.id).toBe('number');
    expect(seen.rows).toEqual([{ id: seen.owner.id, count: 1 }]);
  });

  it('leaves nothing behind when its work throws', async () => {
    const work = transaction(database.dataSource, async (tx) => {
      await tx.sql.query({ text: `insert into owner (name, lower_name) values ('x', 'x')` });
      throw new Error('no');
    });

    await expect(work).rejects.toThrow('no');
    expect(await database.dataSource.manager.countBy(Owner, { lowerName: 'x' })).toBe(0);
  });

  it('is repeated after a deadlock, so that both sides end with their effect', async () => {
    const pool = poolOf(database.dataSource);
    await pool.query(`insert into owner (name, lower_name) values ('one', 'one'), ('two', 'two')`);
    let bothHoldTheirFirst: () => void = () => undefined;
    const barrier = new Promise<void>((resolve) => {
      bothHoldTheirFirst = resolve;
    });
    let holding = 0;
    const append = (first: string, second: string) =>
      transaction(database.dataSource, async ({ sql }) => {
        await sql.query({ text: `update owner set name = name || '!' where lower_name = $1`, values: [first] });
        holding += 1;
        if (holding === 2) bothHoldTheirFirst();
        await barrier;
        await sql.query({ text: `update owner set name = name || '!' where lower_name = $1`, values: [second] });
      });

    await Promise.all([append('one', 'two'), append('two', 'one')]);

    const names = await pool.query(`select name from owner where lower_name in ('one', 'two') order by name`);
    expect(names.rows).toEqual([{ name: 'one!!' }, { name: 'two!!' }]);
  });
});
