import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type NeedingJob, resolveNeeds } from './needs';
import { combineStatus, isFinal } from './status';

const NO_FACTS = { github: {}, outputs: new Map<number, Record<string, string>>() };

const job = (id: number, key: string, status: NeedingJob['status'], needs: string[] = [], continueOnError = false): NeedingJob => ({
  id,
  key,
  status,
  needs,
  continueOnError,
  condition: null,
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
    const resolution = resolveNeeds(jobs, NO_FACTS);

    expect(resolution.released).toEqual(released);
    expect(resolution.ended.map(({ id, status }) => [id, status])).toEqual(skipped.map((id) => [id, 'skipped']));
  });

  const conditional = (id: number, key: string, condition: string, needs: string[] = []): NeedingJob => ({ ...job(id, key, 'blocked', needs), condition });
  const failed = job(1, 'a', 'failure');
  const good = job(1, 'a', 'success');

  it.each<[string, NeedingJob, string, 'released' | 'skipped' | 'failure']>([
    ['a failure', failed, 'always()', 'released'],
    ['a failure', failed, 'failure()', 'released'],
    ['a failure', failed, 'success() || failure()', 'released'],
    ['a failure', failed, '!cancelled()', 'released'],
    ['a failure', failed, 'success()', 'skipped'],
    ['a failure', failed, 'true', 'skipped'],
    ['a failure', failed, "needs.a.result == 'failure'", 'skipped'],
    ['a failure', failed, "always() && needs.a.result == 'failure'", 'released'],
    ['a success', good, 'failure()', 'skipped'],
    ['a success', good, "needs.a.outputs.x == 'from a'", 'released'],
    ['a success', good, "needs.a.outputs.y == ''", 'released'],
    ['a success', good, "github.ref == 'refs/heads/main'", 'released'],
    ['a success', good, "gitea.ref == 'refs/heads/other'", 'skipped'],
    ['a success', good, 'fromJSON(needs.a.outputs.x)', 'failure'],
    ['a success', good, 'needs.a.result ==', 'failure'],
    ['a skip', job(1, 'a', 'skipped'), 'always()', 'released'],
    ['a skip', job(1, 'a', 'skipped'), 'success()', 'skipped'],
    ['a cancelled need', job(1, 'a', 'cancelled'), 'cancelled()', 'released'],
    ['a tolerated failure', job(1, 'a', 'failure', [], true), "success() && needs.a.result == 'success'", 'released'],
    ['a tolerated failure', job(1, 'a', 'failure', [], true), 'failure()', 'skipped'],
  ])('after %s (%j), "%s" makes the job %s', (_what, need, condition, expected) => {
    const facts = { github: { ref: 'refs/heads/main' }, outputs: new Map([[1, { x: 'from a' }]]) };

    const { released, ended } = resolveNeeds([need, conditional(2, 'b', condition, ['a'])], facts);

    expect([released, ended.map(({ status }) => status)]).toEqual(expected === 'released' ? [[2], []] : [[], [expected]]);
  });

  it('A06: go on with `always()` after one that was skipped', () => {
    const resolution = resolveNeeds([conditional(1, 'job1', 'false'), conditional(2, 'job2', 'always()', ['job1'])], NO_FACTS);

    expect(resolution).toEqual({ released: [2], ended: [{ id: 1, status: 'skipped', reason: 'Its "if" does not hold.' }] });
    expect(combineStatus([job(1, 'job1', 'skipped'), job(2, 'job2', 'success')])).toBe('success');
  });

  it('A08: are the direct ones: a skip further up does not count', () => {
    const [a, b, c] = [conditional(1, 'a', 'false'), conditional(2, 'b', 'always()', ['a']), job(3, 'c', 'blocked', ['b'])];

    expect(resolveNeeds([a, b, c], NO_FACTS).released).toEqual([2]);
    expect(resolveNeeds([{ ...a, status: 'skipped' }, { ...b, status: 'success' }, c], NO_FACTS)).toEqual({ released: [3], ended: [] });
  });

  it('A44: are decided in the same pass, and a syntax error fails the job with a text', () => {
    const b = conditional(2, 'b', "${{ !cancelled() && needs.a.result != 'failure' }}", ['a']);

    expect(resolveNeeds([good, b], NO_FACTS)).toEqual({ released: [2], ended: [] });
    expect(resolveNeeds([failed, b], NO_FACTS).ended).toMatchObject([{ id: 2, status: 'skipped' }]);
    expect(resolveNeeds([good, conditional(2, 'b', '!cancelled( && x', ['a'])], NO_FACTS).ended).toEqual([
      { id: 2, status: 'failure', reason: expect.stringMatching(/^Its "if" cannot be evaluated: .+\.$/) },
    ]);
  });

  it('never leave a job blocked whose needs are all settled, and never release one twice', () => {
    const jobs = fc
      .array(fc.constantFrom('success', 'failure', 'cancelled', 'skipped', 'blocked' as const), { maxLength: 30 })
      .map((statuses) =>
        statuses.map((status, index) => job(index, `j${index}`, status as NeedingJob['status'], index > 0 && status === 'blocked' ? [`j${index - 1}`] : [])),
      );
    fc.assert(
      fc.property(jobs, (list) => {
        const { released, ended } = resolveNeeds(list, NO_FACTS);
        const skipped = ended.map(({ id }) => id);
        expect(new Set([...released, ...skipped]).size).toBe(released.length + skipped.length);
        const settled = new Set([...skipped, ...list.filter((each) => isFinal(each.status)).map((each) => each.id)]);
        const stuck = list.filter((each) => each.status === 'blocked' && !released.includes(each.id) && !skipped.includes(each.id));
        for (const each of stuck) expect(list.filter((other) => each.needs.includes(other.key)).every((other) => settled.has(other.id))).toBe(false);
      }),
    );
  });
});
