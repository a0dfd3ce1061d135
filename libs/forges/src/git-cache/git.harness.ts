import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { GitRemote } from '../forge';

const IDENTITY = ['-c', 'user.name=Dev', '-c', 'user.email=dev@example.org', '-c', 'commit.gpgsign=false', '-c', 'init.defaultBranch=main'];

const folders: string[] = [];

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'triphammer-forges-'));
  chmodSync(folder, 0o755);
  folders.push(folder);
  return folder;
}

/** After all tests of a file. */
export function removeTempFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A bare repository as a server has it, and a working copy to fill it from. */
export interface Origin {
  readonly bare: string;
  readonly work: string;
  git(...args: string[]): string;
  /** Commits these files (null: removed) and returns the commit. */
  commit(message: string, files: Readonly<Record<string, string | null>>): string;
  /** Pushes HEAD, or what is named, to a ref. */
  push(ref: string, what?: string): void;
}

export function makeOrigin(folder = tempFolder(), format: 'sha1' | 'sha256' = 'sha1'): Origin {
  const bare = join(folder, 'app.git');
  const work = join(folder, 'work');
  const run = (cwd: string, args: readonly string[]) => execFileSync('git', [...IDENTITY, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
  run(folder, ['init', '--quiet', '--bare', `--object-format=${format}`, bare]);
  run(folder, ['init', '--quiet', `--object-format=${format}`, work]);
  const git = (...args: string[]) => run(work, args);
  return {
    bare,
    work,
    git,
    commit: (message, files) => {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(work, path)), { recursive: true });
        if (text === null) rmSync(join(work, path));
        else writeFileSync(join(work, path), text);
      }
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD');
    },
    push: (ref, what = 'HEAD') => void git('push', '--quiet', '--force', bare, `${what}:${ref}`),
  };
}

interface GitServer {
  readonly url: string;
  /** The `Authorization` headers that came, in their order. */
  readonly authorizations: (string | undefined)[];
  stop(): Promise<void>;
}

interface GitServerOptions {
  readonly authorization?: string;
  /** Speaks version 0 alone, without filters and without commits by their ids. */
  readonly isOld?: boolean;
  readonly redirectTo?: string;
}

/** The servers of one test. */
export class GitServers {
  private readonly running: GitServer[] = [];

  async serve(origin: Origin, options: GitServerOptions = {}): Promise<GitServer> {
    const server = await serveGit(dirname(origin.bare), options);
    this.running.push(server);
    return server;
  }

  async remote(origin: Origin, options: GitServerOptions = {}): Promise<GitRemote & { readonly kind: 'http' }> {
    return { kind: 'http', url: `${(await this.serve(origin, options)).url}/app.git` };
  }

  async stop(): Promise<void> {
    for (const server of this.running.splice(0)) await server.stop();
  }
}

/** Serves the repositories below `root` by git's own http-backend. */
async function serveGit(root: string, options: GitServerOptions = {}): Promise<GitServer> {
  const authorizations: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    if (options.redirectTo !== undefined) return response.writeHead(301, { location: `${options.redirectTo}${request.url}` }).end();
    if (options.authorization !== undefined && request.headers.authorization !== options.authorization) {
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    }
    return runBackend(root, options, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authorizations,
    stop: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}

function runBackend(root: string, options: GitServerOptions, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://x');
  const config = options.isOld ? [] : [['uploadpack.allowFilter', 'true']];
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      ...(options.isOld ? {} : { GIT_PROTOCOL: String(request.headers['git-protocol'] ?? '') }),
      GIT_CONFIG_COUNT: String(config.length),
      ...Object.fromEntries(
        config.flatMap(([key, value], index) => [
          [`GIT_CONFIG_KEY_${index}`, key],
          [`GIT_CONFIG_VALUE_${index}`, value],
        ]),
      ),
    },
  });
  request.pipe(backend.stdin);
  backend.stdin.on('error', () => undefined);
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.once('close', () => {
    const answer = Buffer.concat(chunks);
    const end = answer.indexOf('\r\n\r\n');
    const headers = answer
      .toString('latin1', 0, end)
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]);
    const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
    for (const [name, value] of headers) if (name !== 'Status') response.setHeader(name, value);
    response.writeHead(Number.parseInt(status, 10)).end(answer.subarray(end + 4));
  });
}
