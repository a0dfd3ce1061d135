import { describe, expect, it } from '@jest/globals';
import { inRunnersSpelling, labelKey, lackingLabels } from './labels';

describe('labels', () => {
  it('have one key, whatever their order, case and repetition', () => {
    const key = labelKey(['Linux', 'gpu']);

    expect(labelKey(['gpu', 'linux', 'LINUX'])).toBe(key);
    expect(labelKey(['linux'])).not.toBe(key);
    expect(labelKey(['linux gpu'])).not.toBe(key);
    expect(Number.isSafeInteger(key)).toBe(true);
  });

  it.each([
    [['linux', 'gpu'], ['Linux'], []],
    [['linux'], ['linux', 'gpu'], ['gpu']],
    [[], ['linux'], ['linux']],
    [['linux'], [], []],
  ])('%j serves a job that wants %j but for %j', (runner, job, lacking) => {
    expect(lackingLabels(runner, job)).toEqual(lacking);
  });

  it.each([
    [
      ['LINUX', 'gpu'],
      ['Linux', 'GPU', 'fast'],
      ['Linux', 'GPU'],
    ],
    [[], ['Linux', 'fast'], ['Linux']],
  ])('%j are handed to a runner with %j as %j', (job, runner, spelled) => {
    expect(inRunnersSpelling(job, runner)).toEqual(spelled);
  });
});
