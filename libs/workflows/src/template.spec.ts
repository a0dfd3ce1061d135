import { describe, expect, it } from '@jest/globals';
import type { Json } from './json';
import { evaluate, parseTemplate } from './template';

const row = { os: 'linux', v: 1.5, list: ['a', 'b'], deep: { er: { x: true } }, nothing: null };

describe('a template', () => {
  it.each<[string, Json | undefined]>([
    ['plain', 'plain'],
    ['', ''],
    ['${{ matrix.os }}', 'linux'],
    ['${{matrix.os}}', 'linux'],
    ['${{ Matrix.OS }}', 'linux'],
    ['${{ matrix.v }}', 1.5],
    ['${{ matrix.list }}', ['a', 'b']],
    ['${{ matrix.deep.er.x }}', true],
    ['${{ matrix.deep.missing.x }}', undefined],
    ['${{ matrix.toString }}', undefined],
    ['${{ matrix.os }}-${{ matrix.v }}!', 'linux-1.5!'],
    ['[${{ matrix.list }}${{ matrix.nothing }}]', '[]'],
    ['}} ${ {', '}} ${ {'],
  ])('%j has the value %j', (text, value) => {
    const parsed = parseTemplate(text);

    expect(parsed.ok && evaluate(parsed.template, row)).toEqual(value);
  });

  it.each([
    ['${{ github.ref }}', 'not-supported-yet'],
    ['${{ matrix }}', 'not-supported-yet'],
    ["${{ matrix['os'] }}", 'not-supported-yet'],
    ["${{ matrix.os || 'x' }}", 'not-supported-yet'],
    ['${{ }}', 'not-supported-yet'],
    ['a ${{ matrix.os', 'invalid-expression'],
  ])('%j is refused as %s', (text, code) => {
    expect(parseTemplate(text)).toMatchObject({ ok: false, code });
  });
});
