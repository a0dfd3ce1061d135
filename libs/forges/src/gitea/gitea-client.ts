import { Failure } from '@triphammer/foundation';
import { request } from 'undici';

const TIMEOUT_MS = 15_000;
/** Statuses, repositories and users are a few KiB. */
const MAX_ANSWER_BYTES = 1024 * 1024;

export interface GiteaAnswer {
  readonly status: number;
  /** Undefined when the body is no JSON. */
  readonly json: unknown;
  readonly retryAfterMs: number | null;
}

export interface GiteaClient {
  /** `path` below `/api/v1`. Redirects are answers like others, never followed. Throws `upstream-failed` when there is no answer. */
  send(method: 'GET' | 'POST', path: string, body?: unknown): Promise<GiteaAnswer>;
}

export function giteaClient(address: string, token: string | null): GiteaClient {
  return {
    async send(method, path, body) {
      try {
        const answer = await request(`${address}/api/v1${path}`, {
          method,
          headers: {
            accept: 'application/json',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(token === null ? {} : { authorization: `token ${token}` }),
          },
          body: body === undefined ? null : JSON.stringify(body),
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        return { status: answer.statusCode, json: parse(await readLimited(answer.body)), retryAfterMs: retryAfter(answer.headers['retry-after']) };
      } catch (error) {
        throw new Failure('upstream-failed', `${address} did not answer ${method} /api/v1${path}: ${reasonOf(error)}`, { cause: error });
      }
    },
  };
}

async function readLimited(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds; the date form is not used by forges. */
function retryAfter(header: string | string[] | undefined): number | null {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : null;
}

function reasonOf(error: unknown): string {
  const { name, message, code } = error as { name?: string; message?: string; code?: string };
  if (name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1_000} s`;
  return code ?? message ?? 'unknown reason';
}
