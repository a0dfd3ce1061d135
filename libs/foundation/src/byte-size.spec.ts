import { describe, expect, it } from '@jest/globals';
import { formatByteSize, parseByteSize } from './byte-size';

describe('a byte size', () => {
  it.each([
    ['0 B', 0],
    ['512 KiB', 524_288],
    ['32MiB', 33_554_432],
    ['1.5 GiB', 1_610_612_736],
  ])('%s is %d bytes', (text, bytes) => {
    expect(parseByteSize(text)).toBe(bytes);
  });

  it.each(['', '64', '64MB', '-1 MiB', '1 MiB x', 'unlimited'])('refuses %j instead of taking it for unlimited', (text) => {
    expect(() => parseByteSize(text)).toThrow(/is not a size/);
  });

  it.each([
    [0, '0 B'],
    [1_023, '1023 B'],
    [1_536, '1.5 KiB'],
    [1_048_576, '1 MiB'],
  ])('%d bytes read %s', (bytes, text) => {
    expect(formatByteSize(bytes)).toBe(text);
  });
});
