import { describe, expect, it } from '@jest/globals';
import { FAILURE_CODES, Failure, type FailureCode } from '@triphammer/foundation';
import { encodeConnectError, toConnectError } from './connect-error';

const EXPECTED: readonly (readonly [FailureCode, string, number])[] = [
  ['invalid-input', 'invalid_argument', 400],
  ['unauthenticated', 'unauthenticated', 401],
  ['forbidden', 'permission_denied', 403],
  ['not-found', 'not_found', 404],
  ['conflict', 'aborted', 409],
  ['precondition-failed', 'failed_precondition', 400],
  ['too-large', 'resource_exhausted', 429],
  ['unsupported', 'unimplemented', 501],
  ['rate-limited', 'resource_exhausted', 429],
  ['cancelled', 'canceled', 499],
  ['unavailable', 'unavailable', 503],
  ['upstream-failed', 'unavailable', 503],
  ['corrupt', 'data_loss', 500],
];

describe('a refusal', () => {
  it.each(EXPECTED)('of the code %s is %s with HTTP %d', (failureCode, code, status) => {
    const error = toConnectError(new Failure(failureCode, 'try something else'));

    expect(error).toEqual({ code, status, message: 'try something else' });
  });

  it('is known for every failure code', () => {
    expect(EXPECTED.map(([code]) => code).sort()).toEqual([...FAILURE_CODES].sort());
  });

  it.each([new Error('password=hunter2'), 'text', undefined, null, { code: 'not-found' }])('hides an error that is no failure: %p', (thrown) => {
    expect(toConnectError(thrown)).toEqual({ code: 'internal', status: 500, message: 'internal error' });
  });

  it('is written as JSON with code and message', () => {
    const body = encodeConnectError({ code: 'not_found', status: 404, message: 'no task "7"' });

    expect(body.toString()).toBe('{"code":"not_found","message":"no task \\"7\\""}');
  });
});
