import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDataSource } from '@triphammer/models';
import type { DataSource } from 'typeorm';
import { freePort } from '../e2e/harness/free-port';
import { newSecret } from '../e2e/harness/installation';
import { ManagedProcess } from '../e2e/harness/managed-process';
import { answersOk } from '../e2e/harness/until';

const PROGRAM = join(__dirname, '../apps/triphammer/dist/main.js');

export interface Shipped {
  readonly url: string;
  /** Of the process; its Postgres is a child of it. */
  readonly pid: number;
  /** A connection of our own to its database. */
  readonly dataSource: DataSource;
  /** A gauge or counter of its `/metrics`. */
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
}

/** The program as it is built and shipped, with nothing set but its folder, port and tokens: authentication, metrics and logging are on. */
export async function startShipped(): Promise<Shipped> {
  if (!existsSync(PROGRAM)) throw new Error(`${PROGRAM} is missing: run npm run build`);
  const folder = await mkdtemp(join(tmpdir(), 'triphammer-bench-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = new ManagedProcess({
    name: 'triphammer',
    command: process.execPath,
    args: [PROGRAM, 'serve'],
    env: { DATA_DIR: folder, PORT: String(port), ADMIN_TOKEN: newSecret(), REGISTRATION_TOKEN: newSecret() },
    logFile: join(folder, 'triphammer.log'),
    isReady: () => answersOk(`${url}/readyz`),
  });
  await program.start();
  const dataSource = await createDataSource({
    url: `postgres://triphammer@localhost/triphammer?host=${join(folder, 'postgres/sockets')}`,
    poolSize: 2,
    applicationName: 'bench',
  }).initialize();
  return {
    url,
    pid: program.pid as number,
    dataSource,
    metric: (name) => readMetric(url, name),
    stop: async () => {
      await dataSource.destroy();
      await program.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function readMetric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`${name} `));
  if (line === undefined) throw new Error(`/metrics has no ${name}`);
  return Number(line.slice(name.length));
}
