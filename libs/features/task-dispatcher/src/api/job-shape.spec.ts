import { describe, expect, it } from '@jest/globals';
import { stepWords } from './job-shape';

describe('a step', () => {
  it.each([
    ['waiting', 'running', 'queued', undefined],
    ['running', 'running', 'in_progress', undefined],
    ['running', 'cancelling', 'in_progress', undefined],
    ['failure', 'running', 'completed', 'failure'],
    ['success', 'failure', 'completed', 'success'],
    ['running', 'failure', 'completed', 'failure'],
    ['running', 'cancelled', 'completed', 'cancelled'],
    ['waiting', 'failure', 'completed', 'skipped'],
    ['waiting', 'blocked', 'queued', undefined],
  ] as const)('that is %s in a job that is %s is shown as %s (%s)', (step, job, status, conclusion) => {
    expect(stepWords(step, job)).toEqual(conclusion === undefined ? { status } : { status, conclusion });
  });
});
