import 'reflect-metadata';
import { type Pool, types } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { EVENT_ENTITIES } from './events';
import { FORGE_ENTITIES } from './forges';
import { IDENTITY_ENTITIES } from './identity';
import { LOG_ENTITIES } from './logs';
import { MIGRATIONS } from './migrations';
import { RUN_ENTITIES } from './runs';

const INT8 = 20;
// Ids are bigint identities and stay far below 2^53, label keys are cut to 53 bits: plain numbers are exact.
types.setTypeParser(INT8, Number);

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`; a folder of a Unix socket goes into `?host=`. */
  readonly url: string;
  readonly poolSize: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
}

/** The one DataSource of a process, not yet connected. It never synchronizes: the schema is the migrations' alone. */
export function createDataSource(options: DatabaseOptions): DataSource {
  return new DataSource({
    type: 'postgres',
    ...addressOf(options.url),
    applicationName: options.applicationName,
    poolSize: options.poolSize,
    entities: [...IDENTITY_ENTITIES, ...FORGE_ENTITIES, ...RUN_ENTITIES, ...LOG_ENTITIES, ...EVENT_ENTITIES],
    migrations: [...MIGRATIONS],
    migrationsTableName: 'migration',
    synchronize: false,
    logging: false,
    installExtensions: false,
  });
}

/** TypeORM reads no `?host=` from a URL, so the parts are given one by one. */
function addressOf(url: string) {
  const { hostname, port, username, password, pathname, searchParams } = new URL(url);
  return {
    host: searchParams.get('host') ?? hostname,
    port: port === '' ? 5432 : Number(port),
    username: decodeURIComponent(username),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    database: decodeURIComponent(pathname.slice(1)),
  };
}

/** The pg pool beneath a connected DataSource, for named statements outside a transaction. */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as PostgresDriver).master as Pool;
}
