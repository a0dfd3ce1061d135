import { describe, expect, it } from '@jest/globals';
import { parseTimeout } from './parse-timeout';

describe('Connect-Timeout-Ms', () => {
  it.each([
    [undefined, undefined],
    ['0', 0],
    ['4999', 4_999],
    ['54999', 54_999],
    ['9999999999', 9_999_999_999],
  ])('%j is a budget of %j ms', (value, ms) => {
    expect(parseTimeout(value)).toBe(ms);
  });

  it.each(['', ' 5', '5s', '-1', '1e3', '0x10', '99999999999', '5000, 6000'])('refuses %j', (value) => {
    expect(() => parseTimeout(value)).toThrow(expect.objectContaining({ code: 'invalid-input' }));
  });

  it('refuses the header sent twice', () => {
    expect(() => parseTimeout(['1', '2'])).toThrow(/Connect-Timeout-Ms/);
  });
});
