import { describe, expect, it } from '@jest/globals';
import { nextStatusAttempt } from './next-status-attempt';

const NOW = new Date('2026-01-02T03:04:05Z');
const SECOND = 1_000;
const HOUR = 3_600_000;

describe('the next try of a status', () => {
  it.each([
    ['after the first failure', 1, { isFinal: false, retryAfterMs: null }, 5 * SECOND],
    ['after the second', 2, { isFinal: false, retryAfterMs: null }, 10 * SECOND],
    ['after the tenth', 10, { isFinal: false, retryAfterMs: null }, 2_560 * SECOND],
    ['at last once an hour', 11, { isFinal: false, retryAfterMs: null }, HOUR],
    ['as the forge asks', 5, { isFinal: false, retryAfterMs: 60 * SECOND }, 60 * SECOND],
    ['but never later than in an hour', 1, { isFinal: false, retryAfterMs: 24 * HOUR }, HOUR],
    ['up to three days', 79, { isFinal: false, retryAfterMs: null }, HOUR],
  ])('%s', (_what, attempts, failed, wait) => {
    expect(nextStatusAttempt(attempts, failed, NOW)).toEqual(new Date(NOW.getTime() + wait));
  });

  it.each([
    ['cannot help', 1, { isFinal: true, retryAfterMs: 1_000 }],
    ['was made often enough', 80, { isFinal: false, retryAfterMs: null }],
  ])('is never when it %s', (_what, attempts, failed) => {
    expect(nextStatusAttempt(attempts, failed, NOW)).toBeNull();
  });
});
