import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ByteRange, locate, UnsatisfiableRange } from './byte-range';

describe('a byte range', () => {
  it.each<[string, ByteRange | undefined, number, number]>([
    ['all', undefined, 0, 10],
    ['from the start', { start: 0, end: 3 }, 0, 4],
    ['in the middle', { start: 4, end: 4 }, 4, 1],
    ['open at the end', { start: 7 }, 7, 3],
    ['to beyond the end', { start: 7, end: 99 }, 7, 3],
    ['the last bytes', { last: 4 }, 6, 4],
    ['more last bytes than there are', { last: 99 }, 0, 10],
  ])('%s', (_, range, start, length) => {
    expect(locate(range, 10)).toEqual({ start, length });
  });

  it.each<[string, ByteRange, number]>([
    ['begins at the end', { start: 10 }, 10],
    ['begins beyond the end', { start: 11, end: 12 }, 10],
    ['ends before it begins', { start: 5, end: 4 }, 10],
    ['begins before the blob', { start: -1 }, 10],
    ['asks for the last none', { last: 0 }, 10],
    ['asks for anything of an empty blob', { start: 0 }, 0],
    ['asks for the last bytes of an empty blob', { last: 5 }, 0],
  ])('that %s is unsatisfiable', (_, range, size) => {
    expect(() => locate(range, size)).toThrow(new UnsatisfiableRange(size));
  });

  it('never leaves the blob', () => {
    const range = fc.oneof(fc.record({ start: fc.integer(), end: fc.option(fc.integer(), { nil: undefined }) }), fc.record({ last: fc.integer() }));
    fc.assert(
      fc.property(range, fc.nat(), (asked, size) => {
        try {
          const { start, length } = locate(asked, size);
          return start >= 0 && length > 0 && start + length <= size;
        } catch (error) {
          return error instanceof UnsatisfiableRange;
        }
      }),
    );
  });

  it('of all bytes of an empty blob is empty', () => {
    expect(locate(undefined, 0)).toEqual({ start: 0, length: 0 });
  });
});
