import { describe, expect, it } from '@jest/globals';
import { gitProtocolOf, isVersion2 } from './git-protocol';

describe('the Git-Protocol header', () => {
  it.each([
    ['version=2', true],
    ['version=1', false],
    ['version=0', false],
    ['version=1:version=2', true],
    ['version=2:object-format=sha256', true],
  ])('%s is passed on', (header, hasVersion2) => {
    expect(gitProtocolOf(header)).toBe(header);
    expect(isVersion2(gitProtocolOf(header))).toBe(hasVersion2);
  });

  it.each([
    undefined,
    '',
    'version=3',
    'version=2:',
    'version=22',
    'version=2\nX=1',
    'version=2:$(id)',
    `version=2:${'a'.repeat(100)}`,
    ['version=2', 'version=2'],
  ])('%j counts as absent', (header) => {
    expect(gitProtocolOf(header)).toBeUndefined();
    expect(isVersion2(gitProtocolOf(header))).toBe(false);
  });
});
