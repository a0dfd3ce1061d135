import { describe, expect, it } from '@jest/globals';
import { median, percentile } from './statistics';

describe('percentile', () => {
  it.each([
    [[], 0.5, 0],
    [[7], 0.99, 7],
    [[30, 10, 20, 40], 0.5, 20],
    [[30, 10, 20, 40], 0.95, 40],
    [[9, 100, 10], 0.5, 10],
    [Array.from({ length: 100 }, (_, index) => 100 - index), 0.95, 95],
  ])('of %p at %d is %d', (values, share, expected) => {
    expect(percentile(values, share)).toBe(expected);
  });
});

describe('median', () => {
  it.each([
    [[3], 3],
    [[100, 9, 10], 10],
    [[4, 1, 3, 2], 2.5],
  ])('of %p is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});
