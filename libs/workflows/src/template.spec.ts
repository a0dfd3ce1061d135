import { describe, expect, it } from '@jest/globals';
import type { Json } from './json';
import { evaluateTemplate, parseTemplate } from './template';

const AVAILABLE = { contexts: new Set(['matrix']), functions: new Set<string>() };
const row = { os: 'linux', v: 1.5, list: ['a', 'b'], deep: { er: { x: true } }, nothing: null };

describe('a template', () => {
  it.each<[string, Json]>([
    ['plain', 'plain'],
    ['', ''],
    ['${{ matrix.os }}', 'linux'],
    ['${{matrix.os}}', 'linux'],
    ['${{ Matrix.OS }}', 'linux'],
    ['${{ matrix.v }}', 1.5],
    ['${{ matrix.list }}', ['a', 'b']],
    ['${{ matrix.deep.er.x }}', true],
    ['${{ matrix.deep.missing.x }}', null],
    ['${{ matrix.toString }}', null],
    ['${{ matrix.os }}-${{ matrix.v }}!', 'linux-1.5!'],
    ['[${{ matrix.list }}${{ matrix.deep }}${{ matrix.nothing }}]', '[ArrayObject]'],
    ["${{ matrix['os'] }}", 'linux'],
    ["${{ matrix.os || 'x' }}", 'linux'],
    ["${{ matrix.none || 'x' }}", 'x'],
    ["${{ format('{0}}}', matrix.os) }}!", 'linux}!'],
    ["${{ 'it''s }} here' }}", "it's }} here"],
    ['${{ fromJSON(\'["a", "b"]\') }}', ['a', 'b']],
    ['${{ matrix }}', row],
    ['}} ${ {', '}} ${ {'],
  ])('%j has the value %j', (text, value) => {
    const parsed = parseTemplate(text, AVAILABLE);

    expect(parsed.ok && evaluateTemplate(parsed.template, { matrix: row })).toEqual({ ok: true, value });
  });

  it.each([
    ['${{ github.ref }}', 'not-supported-yet'],
    ["${{ matrix.os || github['ref'] }}", 'not-supported-yet'],
    ['${{ }}', 'invalid-expression'],
    ['${{ matrx.os }}', 'invalid-expression'],
    ['${{ matrix.os + 1 }}', 'invalid-expression'],
    ['${{ success() }}', 'invalid-expression'],
    ["${{ constructor('x') }}", 'invalid-expression'],
    ["a ${{ 'b }}", 'invalid-expression'],
    ['a ${{ matrix.os', 'invalid-expression'],
  ])('%j is refused as %s', (text, code) => {
    expect(parseTemplate(text, AVAILABLE)).toMatchObject({ ok: false, code });
  });
});
