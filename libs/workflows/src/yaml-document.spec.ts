import { describe, expect, it } from '@jest/globals';
import { DiagnosticLog } from './diagnostic';
import { parseYaml } from './yaml-document';
import { toJson } from './yaml-node';

describe('a YAML document', () => {
  it.each([
    ['on: yes', { on: 'yes' }],
    ['a: 010\nb: 1e3\nc: 0x1F\nd: 1_000\ne: 2020-01-01', { a: 10, b: 1000, c: 31, d: '1_000', e: '2020-01-01' }],
    ['a: ~\nb:\nc: ""', { a: null, b: null, c: '' }],
    ['a: !!str 5\nb: !!int "5"\nc: !!map {x: 1}\nd: !!null ~\ne: ! 5', { a: '5', b: 5, c: { x: 1 }, d: null, e: '5' }],
    ['a: 12345678901234567890\nb: .inf', { a: '12345678901234567890', b: '.inf' }],
    ['1: a\ntrue: b\n~: c', { 1: 'a', true: 'b', '': 'c' }],
    ['__proto__: {a: 1}', JSON.parse('{"__proto__": {"a": 1}}')],
    ['a: &x {k: v}\nb: *x\nc: [*x, *x]', { a: { k: 'v' }, b: { k: 'v' }, c: [{ k: 'v' }, { k: 'v' }] }],
    ['\uFEFFa: "q\\n"\r\nb: |\r\n  x\r\n', { a: 'q\n', b: 'x\n' }],
  ])('%j reads as YAML 1.2 reads it', (text, expected) => {
    const node = parseYaml(text, new DiagnosticLog());

    expect(node && toJson(node)).toEqual(expected);
  });

  it('knows the place of every key and value, byte order mark and line endings aside', () => {
    const node = parseYaml('\uFEFFa: "q"\r\nb:\r  - x\n  - {c: d}\n', new DiagnosticLog());

    const entries = node?.kind === 'mapping' ? node.entries : [];
    const list = entries[1]?.value;
    const inner = list?.kind === 'sequence' ? list.items[1] : undefined;
    expect(entries.map(({ at, value }) => [at, value.at])).toEqual([
      [
        { line: 1, column: 1 },
        { line: 1, column: 4 },
      ],
      [
        { line: 2, column: 1 },
        { line: 3, column: 3 },
      ],
    ]);
    expect(inner?.kind === 'mapping' && inner.entries[0]?.value.at).toEqual({ line: 4, column: 9 });
  });

  it.each([
    ['', 'yaml-syntax', 1, 1, /the file is empty/],
    ['# nothing\n', 'yaml-syntax', 1, 1, /the file is empty/],
    ['a: 1\nb: [', 'yaml-syntax', 2, 5, /not valid YAML/],
    ['a:\n\tb: 1', 'yaml-syntax', 2, 1, /not valid YAML/],
    ['a: 1\n---\nb: 1', 'yaml-not-allowed', 1, 4, /second YAML document/],
    ['a: 1\nb: 2\na: 3', 'duplicate-key', 3, 1, /"a" stands twice/],
    ['a: &x {k: v}\nb:\n  <<: *x', 'yaml-not-allowed', 3, 3, /merge keys/],
    ['a: *x', 'yaml-syntax', 1, 4, /"\*x" has no anchor before it/],
    ['a: &x [*x]', 'yaml-syntax', 1, 8, /cannot stand inside its own/],
    ['? [a]\n: b', 'yaml-not-allowed', 1, 3, /key must be a text/],
    ['a: !set {x: 1}', 'yaml-not-allowed', 1, 9, /tag "!set"/],
    ['a: !!int abc', 'yaml-not-allowed', 1, 10, /tag "!!int" has no meaning for "abc"/],
  ])('%j is answered with its mistake and place', (text, code, line, column, message) => {
    const log = new DiagnosticLog();

    parseYaml(text, log);

    expect(log.all()).toEqual([{ severity: 'error', code, line, column, message: expect.stringMatching(message) }]);
  });

  const tenfold = (levels: number): string =>
    Array.from({ length: levels }, (_, level) => `k${level}: &k${level} [${Array(10).fill(level === 0 ? 'x' : `*k${level - 1}`)}]`).join('\n');

  it.each([
    ['a file over 1 MiB', `a: "${'é'.repeat(524_288)}"`, /larger than 1 MiB/],
    ['nesting in the text', '['.repeat(200), /nesting exceeded/],
    ['nesting through aliases', `k0: &k0 [x]\n${Array.from({ length: 120 }, (_, n) => `k${n + 1}: &k${n + 1} [*k${n}]`).join('\n')}`, /more than 100 levels/],
    ['nine tenfold aliases', tenfold(9), /more than 50000 values/],
    ['many values', `[${'1,'.repeat(60_000)}]`, /more than 50000 values/],
    ['a long text many times', `a: &a "${'x'.repeat(500_000)}"\nb: [${Array(9).fill('*a')}]`, /more than 4194304 characters/],
  ])('%s is beyond a limit and costs little time', (_what, text, message) => {
    const log = new DiagnosticLog();

    const node = parseYaml(text, log);

    expect(node).toBeNull();
    expect(log.all()).toEqual([expect.objectContaining({ severity: 'error', code: 'yaml-limit', message: expect.stringMatching(message) })]);
  });

  it('lets aliases stay below the limits', () => {
    const log = new DiagnosticLog();

    expect(parseYaml(tenfold(4), log)).not.toBeNull();
    expect(log.all()).toEqual([]);
  });
});
