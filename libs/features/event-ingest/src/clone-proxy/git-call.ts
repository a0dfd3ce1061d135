import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import type { FailureCode } from '@triphammer/foundation';

/** One admitted request of a fetch: `advertisement` is `GET info/refs`, `result` is `POST git-upload-pack`. */
export interface GitCall {
  readonly kind: 'advertisement' | 'result';
  readonly headers: IncomingHttpHeaders;
  readonly raw: IncomingMessage;
  /** Aborts when the client went away before it had its whole answer. */
  readonly gone: AbortSignal;
}

/** How a request ended, as its metric counts it. */
export type Outcome = 'served' | 'aborted' | 'failed' | FailureCode;

export interface GitAnswer {
  readonly status: number;
  readonly outcome: Outcome;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable | string;
}

export function contentTypeOf(kind: GitCall['kind'] | 'request'): string {
  return `application/x-git-upload-pack-${kind}`;
}

export function served(kind: GitCall['kind'], body: Readable | string, headers: Readonly<Record<string, string>> = {}): GitAnswer {
  return { status: 200, outcome: 'served', headers: { ...headers, 'content-type': contentTypeOf(kind) }, body };
}

/**
 * The request's body as a stream of its own, which may be given up: what is left of the request is then read and dropped.
 * A request that was destroyed instead is not read on, and a client that first sends all of it never hears why.
 */
export function bodyOf(request: IncomingMessage): Readable {
  const body = new PassThrough();
  request.once('error', (error) => body.destroy(error));
  body.once('close', () => {
    request.unpipe(body);
    request.resume();
  });
  return request.pipe(body);
}
