import { describe, expect, it } from '@jest/globals';
import { formatDuration, parseDuration } from './duration';

describe('a duration', () => {
  it.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['1h30m', 5_400_000],
    ['14d', 1_209_600_000],
    ['0s', 0],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '30', '30 s', 's', '-5s', '5x', '1h-3m'])('refuses %j instead of guessing', (text) => {
    expect(() => parseDuration(text)).toThrow(/is not a duration/);
  });

  it.each([
    [0, '0s'],
    [12_400, '12s'],
    [65_000, '1m5s'],
    [7_203_000, '2h0m3s'],
  ])('%d ms is written %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
