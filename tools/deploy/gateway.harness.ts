import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GatewayTopology, renderGatewayConfig, type UPSTREAMS } from './gateway-config';

const START_LIMIT_MS = 10_000;
const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx'].find((path) => existsSync(path));

type Upstream = (typeof UPSTREAMS)[number];

/** What a service behind the gateway saw. */
export interface Seen {
  readonly service: string;
  readonly request: IncomingMessage;
}

export interface GatewayTest {
  readonly url: string;
  readonly port: number;
  /** All requests so far, the oldest first. */
  readonly seen: readonly Seen[];
  /** From now on this service answers so; by default each says its name. */
  answer(service: string, listener: RequestListener): void;
  answerAsUsual(): void;
  read(file: 'access.log' | 'error.log'): string;
  stop(): Promise<void>;
}

/** A real nginx with the shipped configuration, before a small server for each service; `task_dispatcher` has two. `down` do not listen. */
export async function startGateway(options: { readonly pathPrefix?: string; readonly down?: readonly string[] } = {}): Promise<GatewayTest> {
  if (!NGINX) throw new Error('nginx is not installed; tools/ci/install-tools.sh installs it');
  const seen: Seen[] = [];
  const listeners = new Map<string, RequestListener>();
  const servers: Server[] = [];
  const serve = async (service: string) => {
    const server = createServer((request, response) => {
      seen.push({ service, request });
      (listeners.get(service) ?? sayName(service))(request, response);
    });
    const port = await listen(server);
    if (options.down?.includes(service)) server.close();
    else servers.push(server);
    return `127.0.0.1:${port}`;
  };
  const upstreams: Record<Upstream, readonly string[]> = {
    event_ingest: [await serve('event_ingest')],
    task_dispatcher: [await serve('task_dispatcher'), await serve('task_dispatcher_2')],
    log_archiver: [await serve('log_archiver')],
    console: [await serve('console')],
  };
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  chmodSync(folder, 0o755);
  const nginx = await startNginx(folder, { port, upstreams, ...(options.pathPrefix === undefined ? {} : { pathPrefix: options.pathPrefix }) });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    answer: (service, listener) => listeners.set(service, listener),
    answerAsUsual: () => listeners.clear(),
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    async stop() {
      nginx.kill('SIGTERM');
      await once(nginx, 'exit');
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
      rmSync(folder, { recursive: true });
    },
  };
}

async function startNginx(folder: string, topology: GatewayTopology): Promise<ChildProcess> {
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, renderGatewayConfig(topology));
  const nginx = spawn(NGINX as string, ['-p', folder, '-c', file, '-e', join(folder, 'error.log')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let words = '';
  nginx.stderr.setEncoding('utf8').on('data', (text: string) => {
    words += text;
  });
  const deadline = Date.now() + START_LIMIT_MS;
  while (!(await accepts(topology.port))) {
    if (nginx.exitCode !== null || Date.now() > deadline) throw new Error(`nginx did not start: ${words}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return nginx;
}

function sayName(service: string) {
  return (request: IncomingMessage, response: ServerResponse) => {
    request.resume().once('end', () => response.end(service));
  };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
