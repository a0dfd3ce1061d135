import { describe, expect, it } from '@jest/globals';
import { allOf, pageOf } from './conditions';

describe('a conjunction', () => {
  it('numbers the values of the filters that have one, and leaves out the others', () => {
    const where = allOf([
      ['a = ?', 1],
      ['b = ?', undefined],
      ['c = any(?)', ['x']],
    ]);

    expect(where).toEqual({ text: 'a = $1 and c = any($2)', values: [1, ['x']] });
  });

  it('lets everything through when nothing is asked for', () => {
    expect(allOf([['a = ?', undefined]])).toEqual({ text: 'true', values: [] });
  });
});

describe('a window', () => {
  it.each([
    [1, 'limit 30 offset 0'],
    [3, 'limit 30 offset 60'],
  ])('on page %i is "%s"', (page, text) => {
    expect(pageOf({ page, limit: 30 })).toBe(text);
  });
});
