import { type FailureCode, isFailure } from '@triphammer/foundation';

/** Why a call was refused, as the wire says it: the Connect code, the HTTP status that belongs to it, a text for people. */
export interface ConnectError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Runners exit on `unimplemented` at Declare and, newer ones, on `unauthenticated` while polling; on all others they try again. */
const CONNECT_CODES = {
  'invalid-input': { code: 'invalid_argument', status: 400 },
  unauthenticated: { code: 'unauthenticated', status: 401 },
  forbidden: { code: 'permission_denied', status: 403 },
  'not-found': { code: 'not_found', status: 404 },
  conflict: { code: 'aborted', status: 409 },
  'precondition-failed': { code: 'failed_precondition', status: 400 },
  'too-large': { code: 'resource_exhausted', status: 429 },
  unsupported: { code: 'unimplemented', status: 501 },
  'rate-limited': { code: 'resource_exhausted', status: 429 },
  cancelled: { code: 'canceled', status: 499 },
  unavailable: { code: 'unavailable', status: 503 },
  'upstream-failed': { code: 'unavailable', status: 503 },
  corrupt: { code: 'data_loss', status: 500 },
} as const satisfies Record<FailureCode, { readonly code: string; readonly status: number }>;

/** A Failure speaks for itself; of any other error the client learns nothing but that it is ours. */
export function toConnectError(error: unknown): ConnectError {
  if (!isFailure(error)) return { code: 'internal', status: 500, message: 'internal error' };
  return { ...CONNECT_CODES[error.code], message: error.message };
}

/** The body of a refusal, always JSON whatever the call's codec is. */
export function encodeConnectError(error: ConnectError): Buffer {
  return Buffer.from(JSON.stringify({ code: error.code, message: error.message }));
}
