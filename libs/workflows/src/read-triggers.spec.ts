import { describe, expect, it } from '@jest/globals';
import { readWorkflow } from './read-workflow';

function readOn(on: string) {
  const { on: triggers, diagnostics } = readWorkflow(`on: ${on}\njobs: {a: {runs-on: x, steps: [{run: a}]}}`, { path: 'ci.yml' });
  return { triggers, diagnostics: diagnostics.map(({ severity, code, line, column }) => [severity, code, line, column]) };
}

function patternsOf(on: string) {
  const filters = readOn(on).triggers?.push?.filters ?? {};
  return Object.fromEntries(Object.entries(filters).map(([key, patterns]) => [key, patterns.map((pattern) => pattern.text)]));
}

describe('the triggers of a workflow', () => {
  it.each(['push', '[push]', '{push: }', '{push: {}}', '"push"', '{push: ~, }'])('on: %s waits for every push', (on) => {
    expect(readOn(on)).toEqual({ triggers: { push: { filters: {}, unknownKeys: [] }, others: [] }, diagnostics: [] });
  });

  it('takes one pattern or a list for every filter', () => {
    const on = "{push: {branches: main, branches-ignore: [a, '!b'], tags: [1.10], tags-ignore: [x], paths: ['**.js'], paths-ignore: ['docs/**']}}";

    expect(patternsOf(on)).toEqual({
      branches: ['main'],
      'branches-ignore': ['a', '!b'],
      tags: ['1.10'],
      'tags-ignore': ['x'],
      paths: ['**.js'],
      'paths-ignore': ['docs/**'],
    });
  });

  it.each([
    ['[push, pull_request]', ['pull_request'], [['warning', 'not-supported-yet', 1, 12]]],
    ['{schedule: [{cron: "0 0 * * *"}], push: }', ['schedule'], [['warning', 'not-supported-yet', 1, 6]]],
    ['[push, pusch]', ['pusch'], [['warning', 'unknown-event', 1, 12]]],
  ])('on: %s keeps other events apart and says that they start nothing', (on, others, diagnostics) => {
    expect(readOn(on)).toMatchObject({ triggers: { push: {}, others }, diagnostics });
  });

  it('has no push where the file does not name it', () => {
    expect(readOn('workflow_dispatch').triggers).toEqual({ push: null, others: ['workflow_dispatch'] });
  });

  it.each([
    ['{push: {branches: []}}', 'filter-without-effect', 13],
    ['{push: {paths: }}', 'filter-without-effect', 13],
    ['{push: {types: [a]}}', 'filter-without-effect', 13],
    ["{push: {paths: ['!docs/**']}}", 'surprising-filter', 13],
    ["{push: {paths-ignore: ['!docs/**']}}", 'surprising-filter', 13],
    ['{push: {branches: [a], branches-ignore: [b]}}', 'surprising-filter', 12],
    ["{push: {tags-ignore: ['**'], paths: [p.yaml]}}", 'surprising-filter', 12],
    ['{push: {branch: [a]}}', 'unknown-filter-key', 13],
  ])('on: %s is warned of', (on, code, column) => {
    expect(readOn(on).diagnostics).toEqual([['warning', code, 1, column]]);
    expect(readOn(on).triggers).toBeDefined();
  });

  it.each([
    ['', 'wrong-value', 1],
    ['[]', 'wrong-value', 5],
    ['[[push]]', 'wrong-type', 6],
    ['{push: main}', 'wrong-type', 12],
    ["{push: {branches: ['a', '?b']}}", 'invalid-pattern', 29],
    ['{push: {branches: [a, ~]}}', 'invalid-pattern', 27],
    ['{push: {branches: {a: b}}}', 'wrong-type', 23],
    [`{push: {branches: [${Array(50).fill('a'.repeat(400))}]}}`, 'wrong-value', 13],
  ])('on: %s cannot be used, and no trigger is guessed', (on, code, column) => {
    const { triggers, diagnostics } = readOn(on);

    expect(diagnostics).toEqual([['error', code, 1, column]]);
    expect(triggers).toBeUndefined();
  });
});
