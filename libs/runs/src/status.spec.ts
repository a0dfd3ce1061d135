import { describe, expect, it } from '@jest/globals';
import type { RunStatus } from '@triphammer/models/runs';
import { combineStatus, isFinal, JOB_MAY_COME_FROM } from './status';

describe('the status of several jobs together', () => {
  it.each<[string, RunStatus]>([
    ['skipped skipped', 'skipped'],
    ['', 'skipped'],
    ['success skipped', 'success'],
    ['success tolerated', 'success'],
    ['success cancelling running', 'cancelling'],
    ['failure running waiting', 'running'],
    ['failure waiting blocked', 'waiting'],
    ['failure blocked cancelled', 'blocked'],
    ['failure cancelled success', 'cancelled'],
    ['failure success skipped', 'failure'],
    ['failure tolerated', 'failure'],
  ])('of "%s" is %s', (statuses, combined) => {
    const jobs = statuses
      .split(' ')
      .filter(Boolean)
      .map((status) =>
        status === 'tolerated' ? { status: 'failure' as const, continueOnError: true } : { status: status as RunStatus, continueOnError: false },
      );

    expect(combineStatus(jobs)).toBe(combined);
  });
});

describe('the transition table', () => {
  it('lets nothing leave a final state', () => {
    const origins = Object.values(JOB_MAY_COME_FROM).flat();

    expect(origins.filter((status) => isFinal(status))).toEqual([]);
  });
});
