import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeRows, encodeRow, type LogRow, logTime, logTimeOf } from './log-row';

const TIME = '2026-11-30T16:34:36.470724802Z';
const wellFormed = fc.string({ unit: 'binary' });
const anyRow = fc.record({
  time: fc.tuple(fc.integer({ min: -100_000_000_000, max: 300_000_000_000 }), fc.nat(999_999_999)).map(([seconds, nanos]) => logTime(seconds, nanos)),
  content: fc.oneof(wellFormed, fc.string({ unit: fc.constantFrom('\n', '\x10', 'n', '\r', '\0', 'é', '😀') })),
});

describe('the stored form of a row', () => {
  it.each<[string, string, string]>([
    ['plain text', 'hello', 'hello'],
    ['an empty row', '', ''],
    ['spaces', '  a  ', '  a  '],
    ['a progress bar', 'p 1%\rp 50%\rp 100%', 'p 1%\rp 50%\rp 100%'],
    ['NUL and escapes', 'a\0b \x1b[31mred', 'a\0b \x1b[31mred'],
    ['a line separator of Unicode', 'a\u2028b', 'a\u2028b'],
    ['a backslash', 'C:\\new', 'C:\\new'],
    ['a line feed', 'a\nb', 'a\x10nb'],
    ['a data link escape', 'a\x10n', 'a\x10\x10n'],
  ])('of %s is its time, a space, its text and a line feed', (_what, content, stored) => {
    expect(encodeRow({ time: TIME, content })).toBe(`${TIME} ${stored}\n`);
  });

  it('of half a surrogate pair has a replacement character', () => {
    expect(decodeRows(Buffer.from(encodeRow({ time: TIME, content: 'a\ud83db' })))).toEqual([{ time: TIME, content: 'a\ufffdb' }]);
  });

  it('gives every row back, whatever is in it', () => {
    fc.assert(
      fc.property(fc.array(anyRow), (rows: LogRow[]) => {
        expect(decodeRows(Buffer.from(rows.map(encodeRow).join('')))).toEqual(rows);
      }),
    );
  });

  it('has one line for a row, whatever is in it', () => {
    fc.assert(
      fc.property(fc.array(anyRow), (rows: LogRow[]) => {
        expect(rows.map(encodeRow).join('').split('\n')).toHaveLength(rows.length + 1);
      }),
    );
  });

  it.each([
    ['ends within a row', `${TIME} a\n${TIME} b`],
    ['has a row without a time', `${TIME} a\nhello\n`],
  ])('is refused when it %s', (_what, text) => {
    expect(() => decodeRows(Buffer.from(text))).toThrow(expect.objectContaining({ code: 'corrupt' }));
  });
});

describe('the time of a row', () => {
  it.each<[number, number, string]>([
    [1_796_056_476, 470_724_802, '2026-11-30T16:34:36.470724802Z'],
    [1_796_056_476, 510_073_000, '2026-11-30T16:34:36.510073000Z'],
    [0, 0, '1970-01-01T00:00:00.000000000Z'],
    [-1, 999_999_999, '1969-12-31T23:59:59.999999999Z'],
    [-62_135_596_800, 0, '0001-01-01T00:00:00.000000000Z'],
    [253_402_300_799, 999_999_999, '9999-12-31T23:59:59.999999999Z'],
    [9e15, 2_000_000_000, '9999-12-31T23:59:59.999999999Z'],
    [-9e15, -5, '0001-01-01T00:00:00.000000000Z'],
  ])('of %d s and %d ns is %s', (seconds, nanos, time) => {
    expect(logTime(seconds, nanos)).toBe(time);
  });

  it('of a date has its milliseconds', () => {
    expect(logTimeOf(new Date('2026-01-02T03:04:05.678Z'))).toBe('2026-01-02T03:04:05.678000000Z');
    expect(logTimeOf(new Date(-1))).toBe('1969-12-31T23:59:59.999000000Z');
  });
});
