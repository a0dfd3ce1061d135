import { describe, expect, it } from '@jest/globals';
import { authorizeAdmin } from './authorize-admin';

const TOKEN = 'a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6';
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

describe('the admin token', () => {
  it.each([
    `Bearer ${TOKEN}`,
    `bearer ${TOKEN}`,
    `token ${TOKEN}`,
    `Token  ${TOKEN} `,
    basic(`admin:${TOKEN}`),
    basic(`:${TOKEN}`),
    `basic ${Buffer.from(`x:${TOKEN}`).toString('base64')}`,
  ])('is accepted as %s', (authorization) => {
    expect(() => authorizeAdmin(TOKEN)(authorization)).not.toThrow();
  });

  it.each([
    undefined,
    '',
    TOKEN,
    'Bearer',
    'Bearer ',
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Digest ${TOKEN}`,
    basic(TOKEN),
    basic(`${TOKEN}:`),
    basic(`admin:${TOKEN}:more`),
  ])('is refused as %s', (authorization) => {
    expect(() => authorizeAdmin(TOKEN)(authorization)).toThrow(
      expect.objectContaining({ code: 'unauthenticated', message: expect.stringMatching(/ADMIN_TOKEN/) }),
    );
  });

  it('is never shown', () => {
    expect(() => authorizeAdmin(TOKEN)('Bearer wrong-guess')).toThrow(expect.objectContaining({ message: expect.not.stringMatching(/a1b2|wrong-guess/) }));
  });
});
