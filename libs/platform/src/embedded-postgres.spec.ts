import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres';

let folder: string;
let server: EmbeddedPostgres | undefined;
let lines: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'triphammer-postgres-'));
  lines = [];
});
afterEach(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('the embedded Postgres', () => {
  it('stops a server that a killed process left running, and finds its data', async () => {
    const stale = await start();
    await query(stale, 'create table kept (n int)');

    server = await start();

    await expect(query(stale, 'select n from kept')).resolves.toEqual([]);
  });

  it('waits for the orphans of a postmaster that was killed', async () => {
    const killed = await start();
    await query(killed, 'create table kept (n int)');
    // A backend in the midst of a computation does not see that its postmaster is gone.
    const busy = query(killed, 'select count(*) from generate_series(1, 20000000) n where n % 7 = 3').catch(() => undefined);
    await until(
      async () => (await query(killed, `select 1 from pg_stat_activity where query like '%generate_series%' and pid <> pg_backend_pid()`)).length > 0,
    );

    process.kill(Number((await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]), 'SIGKILL');
    server = await start();
    await busy;

    expect(lines).toContainEqual(expect.stringContaining('pre-existing shared memory block'));
    await expect(query(server, 'select n from kept')).resolves.toEqual([]);
  });
});

function start(): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ folder, parameters: { fsync: 'off' }, log: (line) => void lines.push(line) });
}

async function query({ url }: EmbeddedPostgres, text: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url() });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((done) => setTimeout(done, 10));
}
