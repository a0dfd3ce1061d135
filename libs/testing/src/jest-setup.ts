import { POSTGRES_URL_VARIABLE, type PostgresServer, startPostgresServer } from './postgres-server';
import { prepareTemplate } from './test-database';

/** Jest's global set-up: a Postgres server with the migrated template. */
export async function setUp(): Promise<PostgresServer> {
  const server = await startPostgresServer();
  process.env[POSTGRES_URL_VARIABLE] = server.url;
  await prepareTemplate(server.url);
  return server;
}
