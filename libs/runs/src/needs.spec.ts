import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type NeedingJob, resolveNeeds } from './needs';
import { isFinal } from './status';

const job = (id: number, key: string, status: NeedingJob['status'], needs: string[] = [], continueOnError = false): NeedingJob => ({
  id,
  key,
  status,
  needs,
  continueOnError,
});

describe('the jobs that others need', () => {
  it.each([
    ['succeeded', [job(1, 'a', 'success'), job(2, 'b', 'blocked', ['a'])], [2], []],
    ['failed', [job(1, 'a', 'failure'), job(2, 'b', 'blocked', ['a'])], [], [2]],
    ['were allowed to fail', [job(1, 'a', 'failure', [], true), job(2, 'b', 'blocked', ['a'])], [2], []],
    ['were cancelled', [job(1, 'a', 'cancelled'), job(2, 'b', 'blocked', ['a'])], [], [2]],
    ['still run', [job(1, 'a', 'running'), job(2, 'b', 'blocked', ['a'])], [], []],
    ['have one combination left', [job(1, 'a', 'success'), job(2, 'a', 'running'), job(3, 'b', 'blocked', ['a'])], [], []],
    ['had one combination fail', [job(1, 'a', 'success'), job(2, 'a', 'failure'), job(3, 'b', 'blocked', ['a'])], [], [3]],
    ['failed, and a chain hangs on them', [job(1, 'a', 'failure'), job(3, 'c', 'blocked', ['b']), job(2, 'b', 'blocked', ['a'])], [], [2, 3]],
    ['succeeded, and a chain hangs on them', [job(1, 'a', 'success'), job(2, 'b', 'blocked', ['a']), job(3, 'c', 'blocked', ['b'])], [2], []],
  ])('%s', (_case, jobs, released, skipped) => {
    expect(resolveNeeds(jobs)).toEqual({ released, skipped });
  });

  it('never leave a job blocked whose needs are all settled, and never release one twice', () => {
    const jobs = fc
      .array(fc.constantFrom('success', 'failure', 'cancelled', 'skipped', 'blocked' as const), { maxLength: 30 })
      .map((statuses) =>
        statuses.map((status, index) => job(index, `j${index}`, status as NeedingJob['status'], index > 0 && status === 'blocked' ? [`j${index - 1}`] : [])),
      );
    fc.assert(
      fc.property(jobs, (list) => {
        const { released, skipped } = resolveNeeds(list);
        expect(new Set([...released, ...skipped]).size).toBe(released.length + skipped.length);
        const settled = new Set([...skipped, ...list.filter((each) => isFinal(each.status)).map((each) => each.id)]);
        const stuck = list.filter((each) => each.status === 'blocked' && !released.includes(each.id) && !skipped.includes(each.id));
        for (const each of stuck) expect(list.filter((other) => each.needs.includes(other.key)).every((other) => settled.has(other.id))).toBe(false);
      }),
    );
  });
});
