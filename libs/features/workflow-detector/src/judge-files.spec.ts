import { describe, expect, it } from '@jest/globals';
import { judgeFiles, type JudgedPush, needsChangedFiles, readFiles } from './judge-files';

const push: JudgedPush = { ref: 'refs/heads/main', refType: 'branch', changedFiles: ['src/a.ts'] };
const workflow = (on: string, name = 'ci') => `name: ${name}\non: ${on}\njobs:\n  a:\n    runs-on: linux\n    steps:\n      - run: echo\n`;
const judge = (files: Record<string, string>) =>
  judgeFiles(
    readFiles(
      '.gitea/workflows',
      Object.entries(files).map(([path, text]) => ({ path, text })),
    ),
    push,
    360,
  );

describe('the workflow files of a push', () => {
  it.each<[string, string, string]>([
    ['push', 'no-filter', 'runs on every push'],
    ['{push: {branches: [main]}}', 'filters-passed', '"main" of "branches"'],
    ['{push: {branches: [release]}}', 'branch-filtered', 'does not pass'],
    ['{push: {paths: ["docs/**"]}}', 'paths-filtered', 'changed files'],
    ['{push: {paths: ["src/**"]}}', 'filters-passed', 'by src/a.ts'],
    ['{push: {tags: ["v*"]}}', 'only-tag-filters', 'no branch filter'],
    ['issues', 'event-not-handled', 'does not run on pushes'],
  ])('with on: %s get the verdict %s', (on, code, text) => {
    const { verdicts, started } = judge({ 'ci.yml': workflow(on) });

    expect(verdicts).toEqual([expect.objectContaining({ path: 'ci.yml', code, text: expect.stringContaining(text) })]);
    expect(started).toHaveLength(verdicts[0]?.['outcome'] === 'matched' ? 1 : 0);
  });

  it('that are invalid say where, and hold nothing else up', () => {
    const { verdicts, started } = judge({ 'a.yml': 'on: push\njobs:\n  a:\n    runs-on: linux\n    steps: [\n', 'b.yml': workflow('push') });

    expect(verdicts[0]).toMatchObject({ path: 'a.yml', code: 'invalid-workflow', text: expect.stringMatching(/line \d+, column \d+/) });
    expect(started.map((each) => each.path)).toEqual(['b.yml']);
  });

  it('are answered in the order of their names, and the first keeps a status context that two have', () => {
    const { started } = judge({ 'z.yml': workflow('push'), 'a.yml': workflow('push') });

    expect(started.map((each) => [each.path, each.jobs[0]?.statusContext])).toEqual([
      ['a.yml', 'ci / a (push)'],
      ['z.yml', 'ci / a (push) [z.yml]'],
    ]);
  });

  it('ask for the changed files only when one filters by paths', () => {
    const files = (on: string) => readFiles('.gitea/workflows', [{ path: 'ci.yml', text: workflow(on) }]);

    expect(needsChangedFiles(files('push'))).toBe(false);
    expect(needsChangedFiles(files('{push: {paths: [x]}}'))).toBe(true);
    expect(needsChangedFiles(files('{push: {paths-ignore: [x]}}'))).toBe(true);
  });

  it('give jobs without a limit of their own the default one', () => {
    expect(judge({ 'ci.yml': workflow('push') }).started[0]?.jobs[0]).toMatchObject({ key: 'a', labels: ['linux'], timeoutMinutes: 360, needs: [] });
  });
});
