import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { deflate, inflate, isGzipWorthwhile } from './compression';

const LIMIT = 10_000;

describe('a compressed request', () => {
  it('is inflated', async () => {
    const body = gzipSync('x'.repeat(LIMIT));

    const inflated = await inflate(body, 'gzip', LIMIT);

    expect(Buffer.from(inflated).toString()).toBe('x'.repeat(LIMIT));
  });

  it('is refused when it inflates beyond the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(LIMIT + 1));

    await expect(inflate(bomb, 'gzip', LIMIT)).rejects.toMatchObject({ code: 'too-large' });
  });

  it.each([
    ['no gzip at all', Buffer.from('hello')],
    ['gzip that breaks off', gzipSync('hello').subarray(0, 12)],
  ])('is refused when it is %s', async (_what, body) => {
    await expect(inflate(body, 'gzip', LIMIT)).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it.each(['br', 'zstd', 'deflate', 'gzip, gzip'])('is refused in the encoding %s', async (encoding) => {
    await expect(inflate(Buffer.from('hello'), encoding, LIMIT)).rejects.toMatchObject({ code: 'unsupported' });
  });

  it.each([
    ['identity', 'hello'],
    ['gzip', ''],
  ])('stays as it is: %s with %j', async (encoding, text) => {
    const body = Buffer.from(text);

    expect(await inflate(body, encoding, LIMIT)).toBe(body);
  });
});

describe('a reply', () => {
  it.each([
    [1_024, 'gzip', true],
    [1_024, 'br, GZIP;q=0.5', true],
    [1_023, 'gzip', false],
    [1_024, undefined, false],
    [1_024, 'identity', false],
    [1_024, 'gzip;q=0', false],
    [1_024, 'gzip; q=0.000', false],
    [1_024, 'x-gzip', false],
  ])('of %d bytes for "%s": gzip %p', (bytes, accepted, expected) => {
    expect(isGzipWorthwhile(bytes, accepted)).toBe(expected);
  });

  it('comes back the same', async () => {
    const body = Buffer.from('abc'.repeat(1_000));

    const deflated = await deflate(body);

    expect(deflated.length).toBeLessThan(body.length);
    expect(gunzipSync(deflated)).toEqual(body);
  });
});
