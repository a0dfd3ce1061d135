import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Failure } from '@triphammer/foundation';
import { type Dispatcher, errors } from 'undici';
import { bodyOf, contentTypeOf, type GitAnswer, type GitCall, served } from './git-call';

export interface HttpRemote {
  readonly kind: 'http';
  /** The repository's own address; the protocol's paths are put behind it. */
  readonly url: string;
  /** The whole header that the forge wants from us; absent where it serves everybody. */
  readonly authorization?: string;
}

/** All else that a client sends is between it and us: its credential, its cookies, what proxies before us say of it. */
const REQUEST_HEADERS = [
  'accept',
  'accept-encoding',
  'accept-language',
  'content-encoding',
  'content-length',
  'content-type',
  'git-protocol',
  'pragma',
  'user-agent',
] as const;
const RESPONSE_HEADERS = ['content-encoding', 'content-length'] as const;

/**
 * Asks the forge and hands its bytes on as they come, in both directions. `redirected` when the forge knows the
 * repository under another address: a redirect is never followed, our credential could go anywhere with it.
 * Throws `not-found`, `unavailable` or `upstream-failed`, with nothing in it of what the forge answered but the status.
 */
export async function readHttp(agent: Dispatcher, remote: HttpRemote, call: GitCall): Promise<GitAnswer | 'redirected'> {
  const { statusCode, headers, body } = await ask(agent, remote, call);
  if (statusCode === 200 && mediaType(headers) === contentTypeOf(call.kind)) return served(call.kind, body, pick(headers, RESPONSE_HEADERS));
  giveUp(body);
  if (statusCode >= 300 && statusCode < 400) return 'redirected';
  throw refused(statusCode);
}

async function ask(agent: Dispatcher, remote: HttpRemote, call: GitCall): Promise<Dispatcher.ResponseData> {
  const { origin, pathname } = new URL(remote.url);
  const isPost = call.kind === 'result';
  try {
    return await agent.request({
      origin,
      path: pathname.replace(/\/+$/, '') + (isPost ? '/git-upload-pack' : '/info/refs?service=git-upload-pack'),
      method: isPost ? 'POST' : 'GET',
      headers: { ...pick(call.headers, REQUEST_HEADERS), ...(remote.authorization ? { authorization: remote.authorization } : {}) },
      body: isPost ? bodyOf(call.raw) : null,
      signal: call.gone,
    });
  } catch (error) {
    const reason = error instanceof errors.HeadersTimeoutError ? 'did not answer in time' : 'cannot be reached or broke the connection';
    throw new Failure('upstream-failed', `The forge ${reason}.`, { cause: error });
  }
}

function refused(status: number): Failure {
  switch (status) {
    case 200:
      return new Failure('upstream-failed', "The forge answered with something that is not git data, such as a sign-in page. Check the connection's URL.");
    case 401:
    case 403:
      // The job's token was right: as a 401 this would make git ask the user for another one.
      return new Failure('upstream-failed', `The forge refuses the credential of its connection (HTTP ${status}). An administrator must renew it.`);
    case 404:
    case 410:
      return new Failure('not-found', "The forge has no such repository any more, or the connection's user may not read it.");
    case 429:
    case 503:
      return new Failure('unavailable', `The forge is too busy to answer (HTTP ${status}). Try again later.`);
    default:
      return new Failure('upstream-failed', `The forge answered with HTTP ${status}.`);
  }
}

function mediaType(headers: IncomingHttpHeaders): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
}

function pick(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string') picked[name] = value;
  }
  return picked;
}

/** Closes the exchange unread; being given up is an error to the stream, and to nobody else. */
function giveUp(body: Readable): void {
  body.on('error', () => undefined).destroy();
}
