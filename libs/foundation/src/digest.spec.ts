import { describe, expect, it } from '@jest/globals';
import { equalInConstantTime, hmacSha256Hex, sha256Hex } from './digest';

describe('digests', () => {
  it('are lower-case hex', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(hmacSha256Hex('key', 'The quick brown fox jumps over the lazy dog')).toBe('f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8');
  });

  it('are equal only when every byte is', () => {
    expect(equalInConstantTime('same', 'same')).toBe(true);
    expect(equalInConstantTime('same', 'sane')).toBe(false);
    expect(equalInConstantTime('same', 'same longer')).toBe(false);
  });
});
