import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from '../e2e/harness/free-port';
import { ManagedProcess } from '../e2e/harness/managed-process';
import { tool, unprivileged } from '../e2e/harness/tools';
import { answersOk, until } from '../e2e/harness/until';
import type { RunnerCredentials } from './seed';

const run = promisify(execFile);

const USER = 'peer';
const PASSWORD = 'a-password-of-the-peer';
const BASIC = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
const REPOSITORY = 'demo';
const JOBS_PER_RUN = 10;

/** A Gitea with its Actions on, and a Postgres of its own that it reaches as we reach ours: by a Unix socket, with the server's defaults. */
export interface GiteaPeer {
  readonly url: string;
  /** Gitea and its Postgres. */
  readonly roots: readonly number[];
  registerRunners(count: number, label: string): Promise<readonly RunnerCredentials[]>;
  /** Makes one run by a push, and copies its rows until so many jobs wait, ten to a run. */
  addWaitingJobs(count: number, label: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startGitea(): Promise<GiteaPeer> {
  const folder = await mkdtemp(join(tmpdir(), 'gitea-bench-'));
  await chmod(folder, 0o755);
  const postgres = await startPostgres(folder);
  const database = new Client({ host: folder, user: USER, database: 'postgres' });
  await database.connect();
  await database.query('create database gitea');
  await database.end();
  const { url, server } = await startServer(folder);
  const sql = new Client({ host: folder, user: USER, database: 'gitea' });
  await sql.connect();
  await call(url, 'POST', '/user/repos', { name: REPOSITORY, auto_init: true, default_branch: 'main' });
  const { token } = (await call(url, 'POST', '/admin/actions/runners/registration-token')) as { token: string };
  return {
    url,
    roots: [server.pid as number, postgres.pid as number],
    registerRunners: (count, label) => registerRunners(url, token, count, label),
    addWaitingJobs: (count, label) => addWaitingJobs(url, sql, count, label),
    stop: async () => {
      await sql.end();
      await server.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startPostgres(folder: string): Promise<ManagedProcess> {
  const account = unprivileged('postgres');
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  if (account) for (const each of [folder, data]) await chown(each, account.uid, account.gid);
  await run(join(tool('POSTGRES_BIN'), 'initdb'), ['-D', data, '-U', USER, '--auth=trust', '--locale=C', '--encoding=UTF8'], { cwd: folder, ...account });
  const postgres = new ManagedProcess({
    name: 'postgres',
    command: join(tool('POSTGRES_BIN'), 'postgres'),
    args: ['-D', data, '-c', 'listen_addresses=', '-c', `unix_socket_directories=${folder}`],
    account,
    logFile: join(folder, 'postgres.log'),
    isReady: async () => {
      const client = new Client({ host: folder, user: USER, database: 'postgres' });
      await client.connect();
      await client.end();
      return true;
    },
  });
  await postgres.start();
  return postgres;
}

async function startServer(folder: string): Promise<{ url: string; server: ManagedProcess }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await writeFile(join(folder, 'app.ini'), configOf(folder, url, port));
  await gitea(folder, 'migrate');
  await gitea(
    folder,
    'admin',
    'user',
    'create',
    '--admin',
    '--username',
    USER,
    '--password',
    PASSWORD,
    '--email',
    `${USER}@example.com`,
    '--must-change-password=false',
  );
  const server = new ManagedProcess({
    name: 'gitea',
    command: tool('GITEA'),
    args: ['--config', join(folder, 'app.ini'), 'web'],
    cwd: folder,
    logFile: join(folder, 'gitea.log'),
    isReady: () => answersOk(`${url}/api/healthz`),
  });
  await server.start();
  return { url, server };
}

function configOf(folder: string, url: string, port: number): string {
  return [
    ...(process.getuid?.() === 0 ? ['I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true'] : []),
    `WORK_PATH = ${folder}`,
    'RUN_MODE = prod',
    '[server]',
    'HTTP_ADDR = 127.0.0.1',
    `HTTP_PORT = ${port}`,
    `ROOT_URL = ${url}/`,
    `STATIC_ROOT_PATH = ${tool('GITEA_STATIC')}`,
    'DISABLE_SSH = true',
    'OFFLINE_MODE = true',
    '[database]',
    'DB_TYPE = postgres',
    `HOST = ${folder}`,
    'NAME = gitea',
    `USER = ${USER}`,
    'SSL_MODE = disable',
    '[security]',
    'INSTALL_LOCK = true',
    '[actions]',
    'ENABLED = true',
    '',
  ].join('\n');
}

async function registerRunners(url: string, token: string, count: number, label: string): Promise<readonly RunnerCredentials[]> {
  const runners: RunnerCredentials[] = [];
  for (let number = 1; number <= count; number += 1) {
    const response = await fetch(`${url}/api/actions/runner.v1.RunnerService/Register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: `bench ${number}`, token, labels: [label], version: 'v1.0.8' }),
    });
    if (!response.ok) throw new Error(`Gitea registered no runner: ${await response.text()}`);
    runners.push(((await response.json()) as { runner: RunnerCredentials }).runner);
  }
  return runners;
}

async function addWaitingJobs(url: string, sql: Client, count: number, label: string): Promise<void> {
  const workflow = `on: push\njobs:\n  build:\n    runs-on: ${label}\n    steps:\n      - run: echo hello\n`;
  const content = Buffer.from(workflow).toString('base64');
  await call(url, 'POST', `/repos/${USER}/${REPOSITORY}/contents/.gitea/workflows/${label}.yml`, { content, message: label, branch: 'main' });
  await until('the pushed job', 30_000, async () => ((await sql.query('select 1 from action_run_job')).rowCount ? true : undefined));
  await sql.query(`delete from action_run_job where id < (select max(id) from action_run_job)`);
  await sql.query(
    `with runs as (
       insert into action_run
       select (jsonb_populate_record(model, jsonb_build_object('id', model.id + n, 'index', model.index + n))).*
         from action_run model, generate_series(1, $1::int) n where model.id = (select max(id) from action_run)
       returning id
     )
     insert into action_run_job
     select (jsonb_populate_record(model, jsonb_build_object('id', nextval('action_run_job_id_seq'), 'run_id', runs.id))).*
       from action_run_job model, runs, generate_series(1, $2::int)`,
    [count / JOBS_PER_RUN, JOBS_PER_RUN],
  );
  await sql.query('update action_tasks_version set version = version + 1');
  await sql.query('vacuum analyze');
}

function gitea(folder: string, ...args: readonly string[]) {
  return run(tool('GITEA'), ['--config', join(folder, 'app.ini'), ...args], { cwd: folder });
}

async function call(url: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const headers = { authorization: BASIC, 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/v1${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`Gitea answered ${response.status} to ${method} ${path}: ${await response.text()}`);
  return response.json();
}
