import { describe, expect, it } from '@jest/globals';
import { findSkipString } from './skip-string';

describe('a skip string', () => {
  it.each([
    ['Fix typo [skip ci]', '[skip ci]'],
    ['Fix\n\nbody with [ci skip] in it', '[ci skip]'],
    ['[no ci]', '[no ci]'],
    ['x[skip actions]y', '[skip actions]'],
    ['[actions skip] x', '[actions skip]'],
    ['[Skip CI]', null],
    ['skip ci', null],
    ['', null],
  ])('in %j is %j', (message, found) => {
    expect(findSkipString(message)).toBe(found);
  });
});
