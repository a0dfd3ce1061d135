import { mkdtemp, rm, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@triphammer/platform/embedded-postgres';

/** Names the server that the suites use; when unset, one is started for the run. */
export const POSTGRES_URL_VARIABLE = 'TEST_POSTGRES_URL';

export interface PostgresServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** The server that the environment names, or a throw-away one. Nothing on it outlives the run, so nothing is synced to disk. */
export async function startPostgresServer(): Promise<PostgresServer> {
  const named = process.env[POSTGRES_URL_VARIABLE];
  if (named) return { url: named, stop: async () => undefined };
  const folder = await mkdtemp(join(tmpdir(), 'triphammer-test-'));
  await chmod(folder, 0o755);
  const server = await startEmbeddedPostgres({
    folder: join(folder, 'pg'),
    parameters: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300', shared_buffers: '128MB' },
    log: () => undefined,
  });
  return {
    url: server.url(),
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
