import { describe, expect, it } from '@jest/globals';
import { withoutPrefix } from './http-server';

describe('a path', () => {
  it.each([
    ['/api/v1/version', '', '/api/v1/version'],
    ['/ci/api/v1/version', '/ci', '/api/v1/version'],
    ['/api/v1/version', '/ci', '/api/v1/version'],
    ['/ci', '/ci', '/'],
    ['/ci?x=1', '/ci', '/?x=1'],
    ['/cicada/repo/info/refs', '/ci', '/cicada/repo/info/refs'],
    ['//api/actions/x', '', '/api/actions/x'],
  ])('%s below the prefix "%s" is %s', (url, prefix, path) => {
    expect(withoutPrefix(url, prefix)).toBe(path);
  });
});
