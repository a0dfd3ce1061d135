import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { runCli } from './cli';
import type { Terminal } from './terminal';

export const TOKEN = 'f00dfacef00dfacef00dfacef00dfacef00dface';
const NOW = new Date('2026-01-02T03:04:05.000Z');

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line where `environment`, `files` and `input` are all that there is. Pauses are a fiftieth. */
export async function run(
  line: string | readonly string[],
  {
    environment = {},
    files = {},
    input = '',
    isRoot = true,
  }: Partial<{ environment: Terminal['environment']; files: Record<string, string>; input: string; isRoot: boolean }> = {},
): Promise<Outcome> {
  let out = '';
  let err = '';
  const terminal: Terminal = {
    environment,
    isRoot,
    out: (written) => void (out += written),
    err: (written) => void (err += written),
    readInput: async () => input,
    readFile: async (path) => files[path] ?? fail(path),
    now: () => NOW,
    pause,
  };
  const code = await runCli(typeof line === 'string' ? line.split(' ') : line, terminal);
  return { code, out, err };
}

/** Short enough not to be waited for, and long enough for what the other side sent to come in. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal?.addEventListener('abort', () => resolve());
    setTimeout(resolve, ms / 50);
  });
}

function fail(path: string): never {
  throw new Error(`ENOENT: no such file or directory, open '${path}'`);
}

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (response: ServerResponse, seen: Seen) => void;

/** A server that answers from a table (`GET /api/v1/forges`) and remembers what it was asked. */
export class FakeServer {
  readonly seen: Seen[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(answers: Readonly<Record<string, Answer>>): Promise<FakeServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const fake = new FakeServer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', async (request, response) => {
      const { method = '', url = '', headers } = request;
      const seen = { method, path: url, headers, body: await text(request) };
      fake.seen.push(seen);
      const answer = answers[`${method} ${url.split('?')[0]}`] ?? json({ message: 'There is no such thing.' }, 404);
      answer(response, seen);
    });
    return fake;
  }

  /** The environment in which the CLI finds this server. */
  get environment(): Record<string, string> {
    return { TRIPHAMMER_URL: this.url, TRIPHAMMER_TOKEN: TOKEN };
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

export function json(value: unknown, status = 200): Answer {
  return (response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** One after the other; the last again and again. */
export function inTurn(...answers: readonly Answer[]): Answer {
  let turn = 0;
  return (response, seen) => {
    const answer = answers[Math.min(turn, answers.length - 1)];
    turn += 1;
    answer?.(response, seen);
  };
}
