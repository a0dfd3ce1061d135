import { describe, expect, it } from '@jest/globals';
import { openSecret, sealSecret, secretBox } from './sealed-secret';

const KEY = 'k'.repeat(32);
const CONTEXT = 'forge connection "main", token';

describe('a sealed secret', () => {
  it.each(['', 'token', '-----BEGIN KEY-----\nabc\n', 'ключ=🔑', 'x'.repeat(70_000)])('opens to the same text, byte for byte (%#)', (text) => {
    const sealed = sealSecret(KEY, text, CONTEXT);

    expect(sealed).not.toContain(text === '' ? ' ' : text);
    expect(openSecret(KEY, sealed, CONTEXT)).toBe(text);
  });

  it('looks different each time it is sealed', () => {
    expect(sealSecret(KEY, 'same', CONTEXT)).not.toBe(sealSecret(KEY, 'same', CONTEXT));
  });

  it('says that SECRET_KEY has changed, and shows neither key nor text', () => {
    const sealed = sealSecret(KEY, 'hunter2', CONTEXT);

    const open = () => openSecret('o'.repeat(32), sealed, CONTEXT);

    expect(open).toThrow(expect.objectContaining({ code: 'corrupt', message: expect.stringMatching(/sealed with another SECRET_KEY/) }));
    expect(open).toThrow(expect.objectContaining({ message: expect.not.stringMatching(/hunter2|kkkk|oooo/) }));
  });

  it('does not open in another place than its own', () => {
    const sealed = sealSecret(KEY, 'hunter2', CONTEXT);

    expect(() => openSecret(KEY, sealed, 'forge connection "other", token')).toThrow(expect.objectContaining({ code: 'corrupt' }));
  });

  it.each([
    ['a changed byte', (sealed: string) => `${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'B' : 'A'}`],
    ['a cut text', (sealed: string) => sealed.slice(0, 20)],
    ['another format', (sealed: string) => `s9${sealed.slice(2)}`],
    ['plain text', () => 'hunter2'],
  ])('refuses %s', (_what, change) => {
    // 17 bytes: the last character of the encoding carries no unused bits.
    const sealed = sealSecret(KEY, 'seventeen letters', CONTEXT);

    expect(() => openSecret(KEY, change(sealed), CONTEXT)).toThrow(expect.objectContaining({ code: 'corrupt' }));
  });

  it('opens in a box of the same key', () => {
    const box = secretBox(KEY);

    expect(box.open(sealSecret(KEY, 'text', CONTEXT), CONTEXT)).toBe('text');
    expect(openSecret(KEY, box.seal('text', CONTEXT), CONTEXT)).toBe('text');
  });
});
