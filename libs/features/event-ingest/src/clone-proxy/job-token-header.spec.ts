import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { tokenFromAuthorization } from './job-token-header';

const TOKEN = '0123456789abcdef0123456789abcdef01234567';
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('the token of an Authorization header', () => {
  it.each([
    ['the password of Basic, as checkout writes it', `basic ${base64(`x-access-token:${TOKEN}`)}`],
    ['the password of Basic under any name', `Basic ${base64(`anybody:${TOKEN}`)}`],
    ['the password of Basic without a name', `BASIC ${base64(`:${TOKEN}`)}`],
    ['the name of Basic without a password', `Basic ${base64(`${TOKEN}:`)}`],
    ['the name of Basic with the password that says nothing', `Basic ${base64(`${TOKEN}:x-oauth-basic`)}`],
    ['a Bearer', `Bearer ${TOKEN}`],
    ['a bearer in lower case', `bearer ${TOKEN}`],
    ['a token, as octokit writes it', `token ${TOKEN}`],
    ['a token behind several blanks', `Token   ${TOKEN} `],
  ])('may be %s', (_spelling, header) => {
    expect(tokenFromAuthorization(header)).toBe(TOKEN);
  });

  it('keeps the colons of a password', () => {
    expect(tokenFromAuthorization(`Basic ${base64('user:a:b:c')}`)).toBe('a:b:c');
  });

  it.each([
    undefined,
    '',
    'Basic',
    'Basic ',
    'Bearer ',
    TOKEN,
    `Digest ${TOKEN}`,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Basic ${base64('no colon')}`,
    `Basic ${base64(':')}`,
    `Basic ${base64(':x-oauth-basic')}`,
    `Bearer ${'a'.repeat(8_192)}`,
  ])('is missing in %j', (header) => {
    expect(tokenFromAuthorization(header)).toBeUndefined();
  });

  it('is found again in Basic whatever its characters are', () => {
    const user = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes(':'));
    const password = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text !== 'x-oauth-basic');
    fc.assert(
      fc.property(user, password, (name, token) => {
        expect(tokenFromAuthorization(`Basic ${base64(`${name}:${token}`)}`)).toBe(token);
      }),
    );
  });

  it('is a text or missing for any header at all', () => {
    fc.assert(
      fc.property(fc.constantFrom('', 'basic ', 'Bearer ', 'token '), fc.string({ unit: 'binary' }), (scheme, rest) => {
        const token = tokenFromAuthorization(scheme + rest);
        expect(token === undefined || token.length > 0).toBe(true);
      }),
    );
  });
});
