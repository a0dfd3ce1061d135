import { newToken } from '@triphammer/foundation';
import { createDataSource, migrate } from '@triphammer/models';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { POSTGRES_URL_VARIABLE } from './postgres-server';

export interface TestDatabase {
  readonly url: string;
  readonly dataSource: DataSource;
  /** Disconnects and drops the database. */
  drop(): Promise<void>;
}

const TEMPLATE = 'triphammer_template';

/** A migrated, empty database of its own, cloned from a template in some ten milliseconds. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = serverUrl();
  const name = `test_${newToken().slice(0, 16)}`;
  await administer(server, async (client) => {
    await client.query('select pg_advisory_lock_shared(4711)');
    await client.query(`create database ${name} template ${TEMPLATE}`);
  });
  const url = databaseUrl(server, name);
  const dataSource = createDataSource({ url, poolSize: 20, applicationName: 'test' });
  await dataSource.initialize();
  return {
    url,
    dataSource,
    drop: async () => {
      if (dataSource.isInitialized) await dataSource.destroy();
      await administer(server, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/** Makes the template anew; once a run, before any suite. */
export async function prepareTemplate(server: string): Promise<void> {
  await administer(server, async (client) => {
    await client.query('select pg_advisory_lock(4711)');
    await client.query(`drop database if exists ${TEMPLATE} with (force)`);
    await client.query(`create database ${TEMPLATE}`);
    const dataSource = createDataSource({ url: databaseUrl(server, TEMPLATE), poolSize: 2, applicationName: 'template' });
    await dataSource.initialize();
    await migrate(dataSource);
    await dataSource.destroy();
  });
}

function serverUrl(): string {
  const url = process.env[POSTGRES_URL_VARIABLE];
  if (!url) throw new Error(`${POSTGRES_URL_VARIABLE} is not set: run this suite through the project's jest.config.ts`);
  return url;
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.toString();
}

async function administer<Result>(server: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: databaseUrl(server, 'postgres') });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
