import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compilePattern, matchesPattern, type Pattern } from './pattern';
import { simulate } from './states';

const TABLE = readFileSync(join(__dirname, '../testdata/filter-patterns.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t') as [string, string, string, string]);

describe('a filter pattern', () => {
  it('is held to all rows of the table', () => {
    expect(TABLE).toHaveLength(118);
  });

  it.each(TABLE)('%s against "%s" is %s', (text, subject, expected) => {
    expect(matchesPattern(compiled(text), subject.replace('␤', '\n'))).toBe(expected === 'true');
  });

  it.each([
    ['[]a]x', ']x', true],
    ['[^a]b', 'xb', true],
    ['[^a]b', 'ab', false],
    ['a[!b]c', 'a/c', false],
    ['[a-]x', '-x', true],
    ['[\\]]', ']', true],
    ['a/?b', 'ab', true],
    ['**/?b', 'b', true],
    ['**/+b', 'a//b', true],
    ['x/***/y', 'x/a/b/y', true],
    ['😀+', '😀😀', true],
    ['😀?', '', true],
  ])('%s against "%s" is %s where the rules are silent', (text, subject, expected) => {
    expect(matchesPattern(compiled(text), subject)).toBe(expected);
  });

  it('is plain data that another thread can use', () => {
    const pattern = compiled('a[0-9]?/**/x*');

    expect(matchesPattern(structuredClone(pattern), 'a7/b/c/xy')).toBe(true);
  });

  it('says whether it negates, and compares without the sign', () => {
    expect(compiled('!docs/**').negated).toBe(true);
    expect(matchesPattern(compiled('!docs/**'), 'docs/a')).toBe(true);
    expect(compiled('\\!docs').negated).toBe(false);
  });

  it.each([
    ['', /is empty/],
    ['!', /is empty/],
    ['?a', /"\?" repeats the single character or class before it/],
    ['*+', /"\+" repeats the single character/],
    ['a?+', /"\+" repeats the single character/],
    ['v[0-9', /never closed/],
    ['[]', /never closed/],
    ['[z-a]', /runs backwards/],
    ['docs\\', /backslash that escapes nothing/],
    ['a'.repeat(1_025), /longer than 1024 characters/],
  ])('refuses %j with a text to act on', (text, problem) => {
    expect(compilePattern(text)).toEqual({ ok: false, problem: expect.stringMatching(problem) });
  });

  it.each(['**a'.repeat(6) + 'b', '*a'.repeat(6) + 'b', '[a-z]+'.repeat(7) + '!', '**/a/'.repeat(6) + 'b', 'a?'.repeat(200)])(
    '%s needs no more steps than states times characters',
    (text) => {
      const pattern = compiled(text);
      const subject = 'a'.repeat(4_000);

      const { steps } = simulate(pattern.states, subject);

      expect(pattern.states.length).toBeLessThanOrEqual(3 * text.length);
      expect(steps).toBeLessThanOrEqual((pattern.states.length + 1) * subject.length);
    },
  );

  it('agrees with a regular expression made in another way', () => {
    const piece = fc.constantFrom('a', 'b', '/', '*', '**', '**/', 'a?', 'b+', '[ab]', '[!a]', '/?', '.');
    const subject = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.'), maxLength: 8 });
    const property = fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), subject, (pieces, path) => {
      const text = pieces.join('');
      const result = compilePattern(text);
      if (result.ok) expect([text, path, matchesPattern(result.pattern, path)]).toEqual([text, path, oracle(text).test(path)]);
    });

    fc.assert(property, { numRuns: 5_000 });
  });

  it('takes any text without throwing', () => {
    const property = fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, subject) => {
      const result = compilePattern(text);
      if (result.ok) matchesPattern(result.pattern, subject);
      else expect(result.problem).toMatch(/cannot be used/);
    });

    fc.assert(property, { numRuns: 2_000 });
  });
});

function compiled(text: string): Pattern {
  const result = compilePattern(text);
  if (!result.ok) throw new Error(result.problem);
  return result.pattern;
}

function oracle(text: string): RegExp {
  const source = text.replace(/(^|(?<=\/))\*{2,}\/(?![?+])|\*{2,}|\*|\[!a\]|\[ab\]|[./]/g, (token) => {
    if (token === '/') return '\\/';
    if (token.endsWith('/')) return '(?:[^]*\\/)?';
    if (token === '*') return '[^/]*';
    if (token === '.') return '\\.';
    if (token === '[!a]') return '[^a/]';
    return token === '[ab]' ? token : '[^]*';
  });
  return new RegExp(`^(?:${source})$`);
}
