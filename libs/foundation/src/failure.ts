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
