import { describe, expect, it } from '@jest/globals';
import { contextsOfCondition, evaluateCondition } from './condition';
import { readWorkflow } from './read-workflow';

const github = { ref: 'refs/heads/main', event: { commits: [{ message: 'Fix' }] } };
const SUCCEEDED = { haveSucceeded: true, hasFailure: false, hasCancelled: false };
const FAILED = { haveSucceeded: false, hasFailure: true, hasCancelled: false };

describe('the condition of a job', () => {
  it.each([
    ['true', true],
    ['false', false],
    ['${{ true }}', true],
    [' ${{ false }} ', false],
    ['!true', false],
    ["github.ref == 'refs/heads/main'", true],
    ["${{ github.ref == 'refs/heads/x' }}", false],
    ["${{ github.ref }} == 'refs/heads/x'", true],
    ["forgejo.event.commits[0].message == 'fix'", true],
    ['github.event.none', false],
    ['github.event', true],
    ['0', false],
    ["''", false],
    ["'false'", true],
    ['Success()', true],
    ['ALWAYS() && false', false],
  ])('%s after a success: %s', (text, isMet) => {
    expect(evaluateCondition(text, { github, needs: {} }, SUCCEEDED)).toEqual({ ok: true, isMet });
  });

  it.each([
    ['true', false],
    ["'failure()'", false],
    ['failure()', true],
    ["github.ref == 'x' || failure()", true],
    ["contains(github.ref, 'main') && always()", true],
    ['${{ always() }}', true],
    ['!success()', true],
  ])('%s after a failure: %s', (text, isMet) => {
    expect(evaluateCondition(text, { github, needs: {} }, FAILED)).toEqual({ ok: true, isMet });
  });

  it.each(['vars.X', 'success(1)', 'hashFiles()', 'matrix.os', 'a b', '${{ a', "fromJSON('{')"])('%s cannot be evaluated, which is said', (text) => {
    expect(evaluateCondition(text, { github, needs: {} }, SUCCEEDED)).toEqual({ ok: false, problem: expect.stringMatching(/./) });
  });

  it('tells which contexts it reads', () => {
    expect(contextsOfCondition("always() && needs.a.result == 'needs' && GITHUB.ref")).toEqual(new Set(['needs', 'github']));
    expect(contextsOfCondition("'github' == 'needs'")).toEqual(new Set());
    expect(contextsOfCondition('((')).toEqual(new Set());
  });

  it.each([
    ['if: "a b"', 'warning invalid-expression'],
    ['if: vars.X', 'warning not-supported-yet'],
    ['if: [a]', 'error wrong-type'],
    ['if: false', undefined],
    ['if:', undefined],
  ])('is read from %s with %s', (line, expected) => {
    const { diagnostics } = readWorkflow(`on: push\njobs:\n  j:\n    runs-on: x\n    ${line}\n    steps: [{run: a}]`, { path: 'ci.yml' });

    expect(diagnostics.map(({ severity, code }) => `${severity} ${code}`)[0]).toBe(expected);
  });
});
