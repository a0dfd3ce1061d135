import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from './json';
import { countProduct, expandMatrix } from './matrix';
import { readWorkflow } from './read-workflow';

function combinationsOf(matrix: string): readonly JsonObject[] {
  const text = `on: push\njobs: {j: {runs-on: x, strategy: {matrix: ${matrix}}, steps: [{run: a}]}}`;
  const { workflow, diagnostics } = readWorkflow(text, { path: 'ci.yml' });
  if (!workflow) throw new Error(JSON.stringify(diagnostics));
  return expandMatrix(workflow.jobs[0]?.strategy.matrix ?? null);
}

describe('the combinations of a matrix', () => {
  it.each([
    ['of lists, the last turning fastest', '{a: [1, 2], b: [x, y]}', '{a: 1, b: x} {a: 1, b: y} {a: 2, b: x} {a: 2, b: y}'],
    ['less what is excluded whole', '{a: [1, 2], b: [x, y], exclude: [{a: 1, b: y}]}', '{a: 1, b: x} {a: 2, b: x} {a: 2, b: y}'],
    ['less what is excluded in part', '{a: [1, 2], b: [x, y], exclude: [{a: 1}]}', '{a: 2, b: x} {a: 2, b: y}'],
    ['less what is excluded by a part of a mapping', '{a: [{os: l, v: 1}, {os: l, v: 2}, {os: m}], exclude: [{a: {os: l}}]}', '{a: {os: m}}'],
    ['of which a text excludes no number', "{a: [1, '1'], exclude: [{a: '1'}]}", '{a: 1}'],
    ['of which a longer list excludes none', '{a: [[1], [1, 2]], exclude: [{a: [1, 2]}]}', '{a: [1]}'],
    ['whose names are met without regard to case', '{OS: [l, m], exclude: [{os: m}], include: [{Os: l, x: 1}]}', '{OS: l, x: 1}'],
    ['of includes alone', '{include: [{a: 1}, {a: 2, b: 3}]}', '{a: 1} {a: 2, b: 3}'],
    ['with a value for each', '{a: [1, 2], include: [{x: 1}]}', '{a: 1, x: 1} {a: 2, x: 1}'],
    ['with a value for some', '{a: [1, 2], include: [{a: 2, x: 1}]}', '{a: 1} {a: 2, x: 1}'],
    ['with one of its own', '{a: [1], include: [{a: 2}]}', '{a: 1} {a: 2}'],
    ['into which an exclude does not reach once they are included', '{a: [1, 2], exclude: [{a: 2}], include: [{a: 2, x: 1}]}', '{a: 1} {a: 2, x: 1}'],
    ['of which none is left', '{a: [1], exclude: [{a: 1}]}', ''],
    [
      "of GitHub's own example",
      `{fruit: [apple, pear], animal: [cat, dog], include: [{color: green}, {color: pink, animal: cat}, {fruit: apple, shape: circle},
        {fruit: banana}, {fruit: banana, animal: cat}]}`,
      `{fruit: apple, animal: cat, color: pink, shape: circle} {fruit: apple, animal: dog, color: green, shape: circle}
       {fruit: pear, animal: cat, color: pink} {fruit: pear, animal: dog, color: green} {fruit: banana} {fruit: banana, animal: cat}`,
    ],
  ])('%s', (_what, matrix, expected) => {
    const written = combinationsOf(matrix).map((row) => JSON.stringify(row).replaceAll('"', '').replaceAll(':', ': ').replaceAll(',', ', '));

    expect(written.join(' ')).toBe(expected.replaceAll(/\n\s*/g, ' '));
  });

  it('compare a large value with a rule once, in however many combinations it stands', () => {
    let reads = 0;
    const large = Object.defineProperty({ a: 1 }, 'b', { enumerable: true, get: () => (reads += 1) });
    const others = Array.from({ length: 100 }, (_, n) => n);

    const axes = [
      { name: 'large', values: [large] },
      { name: 'other', values: others },
    ];
    const rule = { large: { a: 1, b: -1 } };

    expect(expandMatrix({ axes, include: [rule], exclude: [rule] })).toHaveLength(101);
    expect(reads).toBeLessThan(10);
  });

  it('are counted without being made', () => {
    const values = Array.from({ length: 1_000 }, (_, n) => n);

    expect(countProduct({ axes: ['a', 'b', 'c', 'd'].map((name) => ({ name, values })), include: [], exclude: [] })).toBe(10 ** 12);
    expect(countProduct({ axes: [], include: [{ a: 1 }], exclude: [] })).toBe(0);
    expect(countProduct(null)).toBe(1);
  });
});
