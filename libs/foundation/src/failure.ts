/**
 * Why a request or a piece of work was refused. The code is what an edge branches on (HTTP status, Connect code,
 * a package client's dialect); the message is for the person who can act on it; the cause is for the log alone.
 */
export const FAILURE_CODES = [
  'invalid-input',
  'unauthenticated',
  'forbidden',
  'not-found',
  'conflict',
  'precondition-failed',
  'too-large',
  'unsupported',
  'rate-limited',
  'cancelled',
  'unavailable',
  'upstream-failed',
  'corrupt',
] as const;

export type FailureCode = (typeof FAILURE_CODES)[number];

/** The status that says the same over HTTP; a protocol with rules of its own says otherwise. */
export const HTTP_STATUS: Readonly<Record<FailureCode, number>> = {
  'invalid-input': 422,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'precondition-failed': 412,
  'too-large': 413,
  unsupported: 501,
  'rate-limited': 429,
  cancelled: 499,
  unavailable: 503,
  'upstream-failed': 502,
  corrupt: 500,
};

export class Failure extends Error {
  override readonly name = 'Failure';

  constructor(
    readonly code: FailureCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

export function isFailure(error: unknown): error is Failure {
  return error instanceof Failure;
}
