import { describe, expect, it } from '@jest/globals';
import { ageText, durationText, elapsedText } from './time-text';

const NOW = new Date('2026-01-02T03:04:05.000Z');

describe('a duration', () => {
  it.each([
    [0, '0s'],
    [-5_000, '0s'],
    [59_999, '59s'],
    [65_000, '1m 5s'],
    [3_600_000, '1h'],
    [3_725_000, '1h 2m'],
    [90_000_000, '1d 1h'],
  ])('of %i ms is %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});

describe('a time', () => {
  it('is told by how long ago it was', () => {
    expect([ageText('2026-01-02T03:00:00.000Z', NOW), ageText(undefined, NOW)]).toEqual(['4m ago', 'never']);
  });

  it.each([
    [{}, ''],
    [{ started_at: '2026-01-02T03:04:00.000Z' }, '5s'],
    [{ started_at: '2026-01-02T03:00:00.000Z', completed_at: '2026-01-02T03:01:00.000Z' }, '1m'],
  ])('from %j on takes "%s"', (times, text) => {
    expect(elapsedText(times, NOW)).toBe(text);
  });
});
