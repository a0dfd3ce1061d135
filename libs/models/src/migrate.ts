import { Failure } from '@triphammer/foundation';
import type { DataSource } from 'typeorm';
import { ADVISORY_LOCKS } from './advisory-locks';
import { poolOf } from './data-source';

/**
 * Brings the schema up to date and returns the names of the migrations that ran. Any number of processes may call it
 * at once: one runs, the others wait for it. A schema that is newer than this program is refused.
 */
export async function migrate(dataSource: DataSource): Promise<readonly string[]> {
  const lock = await poolOf(dataSource).connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration]);
    await refuseNewerSchema(dataSource);
    const done = await dataSource.runMigrations({ transaction: 'each' });
    return done.map((migration) => migration.name);
  } finally {
    await lock.query('select pg_advisory_unlock($1)', [ADVISORY_LOCKS.migration]);
    lock.release();
  }
}

/** Throws unless every migration of this program has run; for services whose schema `triphammer migrate` prepares. */
export async function assertMigrated(dataSource: DataSource): Promise<void> {
  await refuseNewerSchema(dataSource);
  const applied = new Set(await appliedMigrations(dataSource));
  const missing = dataSource.migrations.filter((migration) => !applied.has(migration.name ?? ''));
  if (missing.length > 0) {
    throw new Failure(
      'precondition-failed',
      `The database lacks ${missing.length} migration(s), the first is ${missing[0]?.name}. Run "triphammer migrate" before starting the services.`,
    );
  }
}

async function refuseNewerSchema(dataSource: DataSource): Promise<void> {
  const known = new Set(dataSource.migrations.map((migration) => migration.name));
  const unknown = (await appliedMigrations(dataSource)).find((name) => !known.has(name));
  if (unknown) {
    throw new Failure(
      'precondition-failed',
      `The database has the migration ${unknown}, which this version does not know: it was upgraded by a newer version. Start that version, or restore a backup.`,
    );
  }
}

async function appliedMigrations(dataSource: DataSource): Promise<readonly string[]> {
  const pool = poolOf(dataSource);
  const table = await pool.query<{ known: boolean }>(`select to_regclass('migration') is not null as known`);
  if (!table.rows[0]?.known) return [];
  const rows = await pool.query<{ name: string }>('select name from migration order by id');
  return rows.rows.map((row) => row.name);
}
