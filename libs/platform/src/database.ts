import { join } from 'node:path';
import type { Config } from '@triphammer/config';
import { Failure } from '@triphammer/foundation';
import { assertMigrated, createDataSource, migrate } from '@triphammer/models';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { startEmbeddedPostgres } from './embedded-postgres';

export interface Database {
  readonly dataSource: DataSource;
  close(): Promise<void>;
}

export interface DatabaseDemand {
  /** Shown in `pg_stat_activity`. */
  readonly name: string;
  /** `run` brings the schema up to date; `demand` refuses to start on one that is not. */
  readonly migrations: 'run' | 'demand';
}

/** The process's database, connected and with the schema that this version needs; an embedded server is started first. */
export async function prepareDatabase(config: Config, demand: DatabaseDemand, log: Logger): Promise<Database> {
  const server = config.database.url === 'embedded' ? await startServer(config, log) : undefined;
  const url = server?.url ?? config.database.url;
  const dataSource = createDataSource({ url, poolSize: config.database.poolSize, applicationName: demand.name });
  const close = async () => {
    if (dataSource.isInitialized) await dataSource.destroy();
    await server?.stop();
  };
  try {
    await connect(dataSource);
    if (demand.migrations === 'demand') await assertMigrated(dataSource);
    else for (const name of await migrate(dataSource)) log.info({ migration: name }, 'migrated');
    return { dataSource, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startServer(config: Config, log: Logger): Promise<{ url: string; stop(): Promise<void> }> {
  const server = await startEmbeddedPostgres({
    folder: join(config.dataDir, 'postgres'),
    parameters: { max_connections: String(config.database.poolSize + 20) },
    log: (line) => log.debug({ postgres: line }, 'postgres'),
  });
  return { url: server.url(), stop: () => server.stop() };
}

async function connect(dataSource: DataSource): Promise<void> {
  try {
    await dataSource.initialize();
  } catch (error) {
    throw new Failure('unavailable', `The database cannot be reached: ${(error as Error).message}`, { cause: error });
  }
}
