import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port';
import { newSecret } from './installation';
import { ManagedProcess } from './managed-process';
import { tool } from './tools';
import { answersOk } from './until';

const run = promisify(execFile);

const ADMIN = 'forge-admin';
const BOT = 'ci-bot';
/** Not "acme": an owner's name belongs to the first connection that brings it. */
const OWNER = 'forge-team';
/** What a connection's token is said to need, and no more. */
const BOT_SCOPES = ['read:user', 'write:repository'];

export interface GiteaRepository {
  readonly id: number;
  readonly fullName: string;
  /** Where the person pushes to, with their credential in it. */
  readonly remote: string;
}

export interface GiteaStatus {
  readonly id: number;
  readonly context: string;
  readonly status: string;
  readonly description: string;
  readonly target_url: string;
  readonly creator: { readonly login: string };
}

interface Account {
  readonly name: string;
  readonly token: string;
}

/**
 * A real Gitea with its Actions off. A person pushes to private repositories of an organisation; the bot account, whose
 * token the connection gets, is a collaborator who may write.
 */
export class GiteaForge {
  private constructor(
    readonly url: string,
    readonly process: ManagedProcess,
    private readonly admin: Account,
    readonly bot: Account,
  ) {}

  /** All that it stores lies below `folder`. */
  static async start(folder: string): Promise<GiteaForge> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const config = await writeConfig(folder, url, port);
    const password = newSecret();
    await gitea(config, 'migrate');
    await gitea(config, 'admin', 'user', 'create', '--admin', '--username', ADMIN, '--password', password, '--email', `${ADMIN}@example.com`);
    const server = new ManagedProcess({
      name: 'gitea',
      command: tool('GITEA'),
      args: ['--config', config, 'web'],
      cwd: folder,
      logFile: join(folder, 'gitea.log'),
      isReady: () => answersOk(`${url}/api/healthz`),
    });
    await server.start();
    const admin = { name: ADMIN, token: await newAccessToken(url, ADMIN, password, ['all']) };
    await send(url, admin, 'POST', '/orgs', { username: OWNER });
    await send(url, admin, 'POST', '/admin/users', { username: BOT, email: `${BOT}@example.com`, password, must_change_password: false });
    return new GiteaForge(url, server, admin, { name: BOT, token: await newAccessToken(url, BOT, password, BOT_SCOPES) });
  }

  async createRepository(name: string): Promise<GiteaRepository> {
    const { id, full_name: fullName } = await this.call<{ id: number; full_name: string }>('POST', `/orgs/${OWNER}/repos`, { name, private: true });
    await this.call('PUT', `/repos/${fullName}/collaborators/${BOT}`, { permission: 'write' });
    const { host } = new URL(this.url);
    return { id, fullName, remote: `http://${this.admin.name}:${this.admin.token}@${host}/${fullName}.git` };
  }

  async addWebhook({ fullName }: GiteaRepository, url: string, secret: string): Promise<void> {
    const hook = { type: 'gitea', active: true, events: ['push'], config: { url, secret, content_type: 'json' } };
    await this.call('POST', `/repos/${fullName}/hooks`, hook);
  }

  async rename(repository: GiteaRepository, name: string): Promise<GiteaRepository> {
    const renamed = await this.call<{ full_name: string }>('PATCH', `/repos/${repository.fullName}`, { name });
    return { ...repository, fullName: renamed.full_name, remote: repository.remote.replace(repository.fullName, renamed.full_name) };
  }

  /** Every status that the commit ever got, in the order in which they came. */
  async statuses({ fullName }: GiteaRepository, sha: string): Promise<readonly GiteaStatus[]> {
    const statuses = await this.call<GiteaStatus[]>('GET', `/repos/${fullName}/commits/${sha}/statuses?limit=50`);
    return statuses.sort((a, b) => a.id - b.id);
  }

  /** What people see at the commit: the worst of the latest statuses. */
  async combinedState({ fullName }: GiteaRepository, sha: string): Promise<string> {
    return (await this.call<{ state: string }>('GET', `/repos/${fullName}/commits/${sha}/status`)).state;
  }

  /** What the description of its API says. */
  async swagger(): Promise<Readonly<Record<string, unknown>>> {
    const response = await fetch(`${this.url}/swagger.v1.json`);
    return (await response.json()) as Record<string, unknown>;
  }

  private async call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    return (await send(this.url, this.admin, method, path, body)) as Answer;
  }
}

async function writeConfig(folder: string, url: string, port: number): Promise<string> {
  const config = join(folder, 'app.ini');
  await mkdir(folder, { recursive: true });
  const lines = [
    `RUN_USER = ${userInfo().username}`,
    ...(process.getuid?.() === 0 ? ['I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true'] : []),
    'RUN_MODE = prod',
    `WORK_PATH = ${folder}`,
    '[server]',
    'HTTP_ADDR = 127.0.0.1',
    `HTTP_PORT = ${port}`,
    `ROOT_URL = ${url}/`,
    `STATIC_ROOT_PATH = ${tool('GITEA_STATIC')}`,
    'DISABLE_SSH = true',
    'OFFLINE_MODE = true',
    '[database]',
    'DB_TYPE = sqlite3',
    '[repository]',
    'DEFAULT_BRANCH = main',
    '[security]',
    'INSTALL_LOCK = true',
    // The default takes half a second of a core for each password.
    'PASSWORD_HASH_ALGO = pbkdf2_v1',
    '[webhook]',
    'ALLOWED_HOST_LIST = loopback',
    '[queue]',
    // The default one looks at its folder only every second or two.
    'TYPE = channel',
    '[indexer]',
    'ISSUE_INDEXER_TYPE = db',
    '[actions]',
    'ENABLED = false',
    '[cron.update_checker]',
    'ENABLED = false',
    '',
  ];
  await writeFile(config, lines.join('\n'));
  return config;
}

async function gitea(config: string, ...args: readonly string[]): Promise<void> {
  await run(tool('GITEA'), ['--config', config, ...args], { cwd: dirname(config) });
}

async function newAccessToken(url: string, name: string, password: string, scopes: readonly string[]): Promise<string> {
  const basic = Buffer.from(`${name}:${password}`).toString('base64');
  const token = await request(url, `Basic ${basic}`, 'POST', `/users/${name}/tokens`, { name: 'e2e', scopes });
  return (token as { sha1: string }).sha1;
}

function send(url: string, { token }: Account, method: string, path: string, body?: unknown): Promise<unknown> {
  return request(url, `token ${token}`, method, path, body);
}

async function request(url: string, authorization: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Gitea answered ${response.status} to ${method} ${path}: ${text.slice(0, 500)}`);
  return text === '' ? undefined : JSON.parse(text);
}
