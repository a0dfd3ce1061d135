import { describe, expect, it } from '@jest/globals';
import { matchPush, type Push } from './match-push';
import { readWorkflow } from './read-workflow';

function match(on: string, ref: string, changedFiles: Push['changedFiles'] = ['src/a.ts']) {
  const { on: triggers } = readWorkflow(`on: ${on}\njobs: {a: {runs-on: x, steps: [{run: a}]}}`, { path: 'ci.yml' });
  if (!triggers) throw new Error(`no triggers in ${on}`);
  return matchPush(triggers, { ref, refType: ref.startsWith('refs/tags/') ? 'tag' : 'branch', changedFiles });
}

const MAIN = 'refs/heads/main';
const V1 = 'refs/tags/v1';

describe('a push', () => {
  it.each([
    ['push', MAIN, { code: 'no-filter' }],
    ['push', V1, { code: 'no-filter' }],
    ['{push: {branches: []}}', MAIN, { code: 'no-filter' }],
    ['{push: {branches: []}}', V1, { code: 'no-filter' }],
    ['{push: {branches: [x, main]}}', MAIN, { code: 'filters-passed', rule: 'branches', pattern: 'main' }],
    ["{push: {branches: ['release/**']}}", 'refs/heads/release/1/2', { code: 'filters-passed', rule: 'branches', pattern: 'release/**' }],
    ['{push: {branches-ignore: [x]}}', MAIN, { code: 'filters-passed', rule: 'branches-ignore' }],
    ['{push: {branches: [x], tags: [v*]}}', V1, { code: 'filters-passed', rule: 'tags', pattern: 'v*' }],
    ['{push: {branches: [main], tags: [x]}}', MAIN, { code: 'filters-passed', rule: 'branches', pattern: 'main' }],
    ['{push: {branches: [main], branches-ignore: [x]}}', MAIN, { code: 'filters-passed', rule: 'branches', pattern: 'main' }],
    ["{push: {paths: ['src/**']}}", MAIN, { code: 'filters-passed', rule: 'paths', pattern: 'src/**', file: 'src/a.ts' }],
    ["{push: {paths-ignore: ['docs/**']}}", MAIN, { code: 'filters-passed', rule: 'paths-ignore', file: 'src/a.ts' }],
    ["{push: {paths: ['docs/**']}}", V1, { code: 'paths-not-tested-for-tags', rule: 'paths' }],
    ["{push: {tags: [v1], paths: ['docs/**']}}", V1, { code: 'paths-not-tested-for-tags', rule: 'paths' }],
  ])('on: %s with %s starts the workflow', (on, ref, verdict) => {
    expect(match(on, ref)).toEqual({ outcome: 'matched', ...verdict });
  });

  it.each([
    ['{push: {branches: [main]}}', 'refs/heads/dev', { code: 'branch-filtered', rule: 'branches' }],
    ["{push: {branches: ['**', '!main']}}", MAIN, { code: 'branch-filtered', rule: 'branches', pattern: '!main' }],
    ['{push: {branches-ignore: [x, main]}}', MAIN, { code: 'branch-filtered', rule: 'branches-ignore', pattern: 'main' }],
    ['{push: {branches: [main], branches-ignore: [m*]}}', MAIN, { code: 'branch-filtered', rule: 'branches-ignore', pattern: 'm*' }],
    ['{push: {tags: [v2]}}', V1, { code: 'tag-filtered', rule: 'tags' }],
    ['{push: {tags-ignore: [v*]}}', V1, { code: 'tag-filtered', rule: 'tags-ignore', pattern: 'v*' }],
    ["{push: {tags: ['**']}}", MAIN, { code: 'only-tag-filters', rule: 'tags' }],
    ["{push: {tags-ignore: ['**'], paths: ['**']}}", MAIN, { code: 'only-tag-filters', rule: 'tags-ignore' }],
    ["{push: {branches-ignore: ['x']}}", V1, { code: 'only-branch-filters', rule: 'branches-ignore' }],
    ["{push: {paths: ['docs/**']}}", MAIN, { code: 'paths-filtered', rule: 'paths' }],
    ["{push: {paths: ['**', '!src/**']}}", MAIN, { code: 'paths-filtered', rule: 'paths', pattern: '!src/**', file: 'src/a.ts' }],
    ["{push: {paths-ignore: ['src/**']}}", MAIN, { code: 'paths-filtered', rule: 'paths-ignore', pattern: 'src/**', file: 'src/a.ts' }],
    ["{push: {paths: ['src/**'], paths-ignore: ['**.ts']}}", MAIN, { code: 'paths-filtered', rule: 'paths-ignore', pattern: '**.ts', file: 'src/a.ts' }],
    ["{push: {branches: [main], paths: ['docs/**']}}", MAIN, { code: 'paths-filtered', rule: 'paths' }],
    ['{push: {branch: [main]}}', MAIN, { code: 'unknown-filter-key', rule: 'branch' }],
  ])('on: %s with %s is filtered out by what it names', (on, ref, verdict) => {
    expect(match(on, ref)).toEqual({ outcome: 'filtered', ...verdict });
  });

  it.each(['paths', 'paths-ignore'])('without changed files is blocked by %s', (rule) => {
    expect(match(`{push: {${rule}: ['x']}}`, MAIN, [])).toEqual({ outcome: 'filtered', code: 'no-changed-files', rule });
  });

  it('without changed files passes where no path filter asks for them', () => {
    expect(match('{push: {paths: []}}', MAIN, [])).toEqual({ outcome: 'matched', code: 'no-filter' });
  });

  it('starts the workflow and says so if no diff could be had', () => {
    const { on } = readWorkflow("on: {push: {paths: ['docs/**']}}\njobs: {a: {runs-on: x, steps: [{run: a}]}}", { path: 'ci.yml' });

    const verdict = on && matchPush(on, { ref: MAIN, refType: 'branch', changedFiles: undefined });

    expect(verdict).toEqual({ outcome: 'matched', code: 'no-diff', rule: 'paths' });
  });

  it('is not for a workflow that waits for something else', () => {
    expect(match('[pull_request]', MAIN)).toEqual({ outcome: 'not-applicable', code: 'event-not-handled' });
  });
});
