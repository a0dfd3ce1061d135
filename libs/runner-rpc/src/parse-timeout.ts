import { Failure } from '@triphammer/foundation';

/** The Connect protocol allows ten digits. */
const MILLISECONDS = /^\d{1,10}$/;

/**
 * Milliseconds of `Connect-Timeout-Ms`, counted by the client from when it sent the request; undefined without the header.
 * Anything that is not a number of at most ten digits is refused.
 */
export function parseTimeout(value: string | readonly string[] | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !MILLISECONDS.test(value)) {
    throw new Failure('invalid-input', 'Connect-Timeout-Ms must be a number of milliseconds with at most ten digits');
  }
  return Number(value);
}
