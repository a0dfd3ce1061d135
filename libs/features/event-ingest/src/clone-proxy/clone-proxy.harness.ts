import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { Writable } from 'node:stream';
import { Logger } from '@nestjs/common';
import fastify from 'fastify';
import { register } from 'prom-client';
import { mountCloneProxy } from './clone-proxy';
import type { CloneTarget } from './clone-target';
import type { SeenRequest } from './forge.harness';

export const TOKEN = '7c1d9a4e0b5f6827c1d9a4e0b5f6827c1d9a4e0b';
export const OTHER_TOKEN = '11119a4e0b5f6827c1d9a4e0b5f6827c1d9a4e0b';
export const ENDED_TOKEN = '22229a4e0b5f6827c1d9a4e0b5f6827c1d9a4e0b';
/** As checkout writes it into git's configuration. */
export const AS_CHECKOUT = ['-c', `http.extraHeader=AUTHORIZATION: basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`] as const;

export interface TestProxy {
  readonly url: string;
  /** What `team/app`, repository 1, is now. The job of TOKEN reads it; OTHER_TOKEN's reads repository 2. */
  setRemote(remote: CloneTarget['remote']): void;
  /** What becomes of it once the forge is asked for repository 1 again; `undefined`: gone. */
  setRenamed(remote: CloneTarget['remote'] | undefined): void;
  /** How often it was asked. */
  refreshes(): number;
  readonly seen: SeenRequest[];
  /** All that the server and the proxy wrote into their logs. */
  logged(): string;
  stop(): Promise<void>;
}

export async function startProxy(): Promise<TestProxy> {
  let remote: CloneTarget['remote'] = { kind: 'path', path: '/nonexistent' };
  let renamed: CloneTarget['remote'] | undefined;
  let refreshes = 0;
  const lines: string[] = [];
  const seen: SeenRequest[] = [];
  const write = (...parts: unknown[]) => void lines.push(JSON.stringify(parts));
  Logger.overrideLogger({ log: write, warn: write, error: write, debug: write, verbose: write });
  const stream = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) });
  const server = fastify({ logger: { level: 'trace', stream }, requestTimeout: 0, forceCloseConnections: true, routerOptions: { maxParamLength: 1_024 } });
  server.addHook('onRequest', async ({ method, url, headers }) => void seen.push({ method, url, headers }));
  server.get('/api/v1/version', async () => ({ version: '1' }));
  mountCloneProxy(server, {
    verifyJobToken: async (token) => {
      const access = { repositoryId: 1, names: ['team/app', 'crew/app'] };
      if (token === ENDED_TOKEN) return { ...access, ended: { job: 'build', at: new Date('2026-01-02T03:04:05Z') } };
      if (token === OTHER_TOKEN) return { repositoryId: 2, names: ['team/other'] };
      return token === TOKEN ? access : undefined;
    },
    readRepository: async (repositoryId) => ({ repositoryId, remote }),
    refreshRepository: async (repositoryId) => {
      refreshes += 1;
      if (!renamed) return undefined;
      remote = renamed;
      return { repositoryId, remote };
    },
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    setRemote: (next) => {
      remote = next;
    },
    setRenamed: (next) => {
      renamed = next;
    },
    refreshes: () => refreshes,
    seen,
    logged: () => lines.join('\n'),
    stop: async () => {
      await server.close();
      Logger.overrideLogger(false);
    },
  };
}

export interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** One request, its path taken to the letter; the bearer is the job of TOKEN unless `headers` say otherwise. Rejects when the reply breaks off. */
export function send(
  proxy: TestProxy,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: Buffer | readonly Buffer[],
): Promise<RawReply> {
  const { hostname, port } = new URL(proxy.url);
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, method, path, headers: { authorization: `Bearer ${TOKEN}`, ...headers }, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
    });
    request.once('error', reject);
    for (const chunk of Buffer.isBuffer(body) ? [body] : (body ?? [])) request.write(chunk);
    request.end();
  });
}

export const FETCH_HEADERS = { 'content-type': 'application/x-git-upload-pack-request', 'git-protocol': 'version=2' } as const;

export interface StartedFetch {
  readonly request: ClientRequest;
  /** Resolves at the headers. */
  readonly answered: Promise<IncomingMessage>;
}

/** A fetch to watch and to leave; without a body it has sent the beginning of one that goes on. */
export function startFetch(proxy: TestProxy, body?: Buffer): StartedFetch {
  const { hostname, port } = new URL(proxy.url);
  const headers = { authorization: `Bearer ${TOKEN}`, ...FETCH_HEADERS };
  const request = httpRequest({ hostname, port, method: 'POST', path: '/team/app/git-upload-pack', headers, agent: false });
  const answered = new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
  request.on('error', () => undefined).write(body ?? pktLine('command=fetch'));
  if (body) request.end();
  return { request, answered };
}

/** A POST of a client that reads nothing before it has sent everything. Gives the reply's first line. */
export function sendThenRead(proxy: TestProxy, path: string, headers: Record<string, string>, body: Buffer): Promise<string> {
  const { hostname, port } = new URL(proxy.url);
  const all = { host: hostname, authorization: `Bearer ${TOKEN}`, 'content-length': String(body.length), ...headers };
  const head = Object.entries(all).map((header) => `${header.join(': ')}\r\n`);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname).once('error', reject);
    socket.write(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n`);
    socket.write(body, () => {
      socket.once('data', (reply) => {
        resolve(String(reply).split('\r\n', 1)[0] ?? '');
        socket.destroy();
      });
    });
  });
}

/** The body of a fetch in version 2. */
export function fetchBody(...lines: readonly string[]): Buffer {
  return Buffer.from(`${pktLine('command=fetch')}0001${lines.map((line) => pktLine(line)).join('')}0000`);
}

export function pktLine(text: string): string {
  return (text.length + 5).toString(16).padStart(4, '0') + `${text}\n`;
}

export async function counted(outcome: string): Promise<number> {
  const metric = await register.getSingleMetric('triphammer_clone_requests_total')?.get();
  return metric?.values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
}
