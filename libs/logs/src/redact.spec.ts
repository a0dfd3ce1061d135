import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { redactLines } from './redact';
import { secretForms } from './secret-forms';

const UNLIMITED = 1_000_000;

function maskSecrets(line: string, secrets: readonly string[]): string {
  return redactLines([line], secretForms(secrets), UNLIMITED)[0] as string;
}

function cut(line: string, limit: number, secrets: readonly string[] = []): string {
  return redactLines([line], secretForms(secrets), limit)[0] as string;
}

const MULTI = 'line-one-secret\nline-two-secret\nz';

describe('masking', () => {
  it.each<[string, readonly string[], string, string]>([
    ['a secret', ['hunter22'], 'say hunter22!', 'say ***!'],
    ['it twice', ['hunter22'], 'hunter22 hunter22', '*** ***'],
    ['it side by side, as one', ['hunter22'], 'hunter22hunter22', '***'],
    ['nothing else', ['hunter22'], 'hunter 22', 'hunter 22'],
    ['the longer of two that begin alike', ['abc12', 'abc12XYZ'], 'abc12XYZ abc12', '*** ***'],
    ['the longer of two, in whatever order they are named', ['abc12XYZ', 'abc12'], 'abc12XYZ abc12', '*** ***'],
    ['two that overlap, without a rest', ['abcdef', 'defghi'], 'x abcdefghi x', 'x *** x'],
    ['one that overlaps itself, without a rest', ['abab'], 'ababab', '***'],
    ['what a runner left of the longer one', ['abc12', 'abc12XYZ'], 'x ***XYZ x', 'x *** x'],
    ['what a runner left at the front', ['12345', 'XYZ12345'], 'XYZ***', '***'],
    ['what a runner left in the middle and around', ['1234', 'ab1234cd1234ef'], 'ab***cd***ef', '***'],
    ['what a runner left of two that overlap', ['abcdef', 'defghi'], '***ghi and abc***', '*** and ***'],
    ['each line of a secret by itself', [MULTI], 'line-one-secret then line-two-secret', '*** then ***'],
    ['no line of one to three characters', [MULTI, 'abc'], 'a z abc', 'a z abc'],
    ['lines that end with a carriage return', ['first-line\r\nsecond-line'], 'first-line second-line', '*** ***'],
    ['nothing for a secret that is empty or blank lines', ['', '\n\n'], 'a b', 'a b'],
    ['characters beyond ASCII', ['pässwörd', '🔑🔑🔑🔑'], 'pässwörd 🔑🔑🔑🔑', '*** ***'],
    ['what looks like a pattern, as it is', ['a.*b$&'], 'a.*b$& axxb', '*** axxb'],
    ['the percent-encoded form', ["p&ss w'rd"], "p%26ss%20w'rd p%26ss%20w%27rd p%26ss+w%27rd", '*** *** ***'],
  ])('takes out %s', (_what, secrets, line, masked) => {
    expect(maskSecrets(line, secrets)).toBe(masked);
  });

  it.each(['', 'x', 'xy', 'xyz', 'user:', 'läng'])('takes out the base64 of a secret that stands behind "%s"', (before) => {
    const secret = 'correct horse?>battery~~staple';
    for (const alphabet of ['base64', 'base64url'] as const) {
      const encoded = Buffer.from(`${before}${secret} and more`).toString(alphabet);

      const masked = maskSecrets(`header ${encoded}`, [secret]);

      // What is left has at most the bits of its edges in common with the secret.
      const left = masked.replace('header ', '').split('***');
      expect(left).toHaveLength(2);
      expect(encoded.length - left.join('').length).toBeGreaterThanOrEqual(Math.floor((secret.length * 8) / 6) - 1);
    }
  });

  it('leaves no secret whole, nor the rest of one that another covers', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '*'), minLength: 4, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 4 }), fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ') })), (secrets, gaps) => {
        const line = gaps.map((gap, at) => gap + (secrets[at % secrets.length] as string)).join('');
        const kept = [...line].map(() => true);
        for (const secret of secrets) {
          for (let at = line.indexOf(secret); at >= 0; at = line.indexOf(secret, at + 1)) kept.fill(false, at, at + secret.length);
        }

        const masked = maskSecrets(line, secrets);

        const visible = [...line].filter((character, at) => kept[at] && character !== '*').length;
        expect([...masked].filter((character) => character !== '*').length).toBeLessThanOrEqual(visible);
      }),
    );
  });
});

describe('cutting', () => {
  const EURO = '€';

  it.each<[string, string, number, string]>([
    ['at the limit is whole', 'x'.repeat(65_536), 65_536, 'x'.repeat(65_536)],
    ['one byte above it is cut', 'x'.repeat(11), 10, `${'x'.repeat(10)} [line cut: 1 bytes dropped]`],
    ['is cut between characters of three bytes', EURO.repeat(21_846), 65_536, `${EURO.repeat(21_845)} [line cut: 3 bytes dropped]`],
    ['is cut before an emoji that crosses the limit', `${'x'.repeat(9)}😀yz`, 10, `${'x'.repeat(9)} [line cut: 6 bytes dropped]`],
    ['is cut behind an emoji that ends at the limit', `${'x'.repeat(6)}😀yz`, 10, `${'x'.repeat(6)}😀 [line cut: 2 bytes dropped]`],
    ['is cut before two bytes of which one fits', `${'x'.repeat(9)}éy`, 10, `${'x'.repeat(9)} [line cut: 3 bytes dropped]`],
    ['is measured in bytes, not in characters', EURO.repeat(4), 10, `${EURO.repeat(3)} [line cut: 3 bytes dropped]`],
  ])('a line that %s', (_what, line, limit, kept) => {
    expect(cut(line, limit)).toBe(kept);
  });

  it('masks a secret of which only the beginning is kept', () => {
    expect(cut('12345678hunter22', 12, ['hunter22'])).toBe('12345678*** [line cut: 4 bytes dropped]');
  });

  it('masks a secret that ends where the line is cut', () => {
    expect(cut('1234hunter22rest', 12, ['hunter22'])).toBe('1234*** [line cut: 4 bytes dropped]');
  });

  it('keeps valid text of no more than the limit, and counts the rest', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 40 }), (line, limit) => {
        const result = cut(line, limit);

        const mark = / \[line cut: (\d+) bytes dropped\]$/.exec(result);
        const kept = mark ? result.slice(0, mark.index) : result;
        expect(line.startsWith(kept)).toBe(true);
        expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(limit);
        expect(Buffer.byteLength(kept) + Number(mark?.[1] ?? 0)).toBe(Buffer.byteLength(line));
      }),
    );
  });
});
