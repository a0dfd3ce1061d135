import { describe, expect, it } from '@jest/globals';
import { compilePattern, type Pattern } from './pattern';
import { matchIgnoreList, matchIncludeList } from './pattern-list';

describe('an include list', () => {
  it.each([
    [['*.md', '!README.md'], ['hello.md'], true, '*.md', 'hello.md'],
    [['*.md', '!README.md'], ['README.md'], false, '!README.md', 'README.md'],
    [['*.md', '!README.md'], ['docs/hello.md'], false, null, null],
    [['*.md', '!README.md', 'README*'], ['README.md'], true, 'README*', 'README.md'],
    [['*.md', '!README.md', 'README*'], ['README.doc'], true, 'README*', 'README.doc'],
    [['!docs/**'], ['src/a'], false, null, null],
    [['**', '!docs/**'], ['docs/x'], false, '!docs/**', 'docs/x'],
    [['**', '!docs/**'], ['docs/x', 'src/a'], true, '**', 'src/a'],
    [['!docs/**', '**'], ['docs/x'], true, '**', 'docs/x'],
    [['src/**', '!src/gen/**', 'src/gen/keep/**'], ['src/gen/keep/a'], true, 'src/gen/keep/**', 'src/gen/keep/a'],
    [['src/**', '!src/gen/**', 'src/gen/keep/**'], ['src/gen/b'], false, '!src/gen/**', 'src/gen/b'],
    [['releases/**', '!releases/**-alpha'], ['releases/10-alpha'], false, '!releases/**-alpha', 'releases/10-alpha'],
    [['releases/**', '!releases/**-alpha'], ['releases/10'], true, 'releases/**', 'releases/10'],
    [['a!b'], ['a!b'], true, 'a!b', 'a!b'],
    [['**'], [], false, null, null],
    [[], ['anything'], true, null, null],
    [[], [], true, null, null],
  ])('%j lets %j through: %s, by %j and %j', (texts, items, passes, pattern, item) => {
    expect(matchIncludeList(compiled(texts), items)).toEqual({ passes, pattern, item });
  });
});

describe('an ignore list', () => {
  it.each([
    [['docs/**'], ['docs/a', 'docs/b'], false, 'docs/**', 'docs/a'],
    [['docs/**'], ['docs/a', 'src/b'], true, null, 'src/b'],
    [['*.md', 'docs/**'], ['docs/a', 'x.md'], false, 'docs/**', 'docs/a'],
    [['!src/**'], ['docs/a'], false, '!src/**', 'docs/a'],
    [['!src/**'], ['src/a'], true, null, 'src/a'],
    [['docs/**', '!docs/**'], ['docs/a', 'b'], false, 'docs/**', 'docs/a'],
    [['**'], [], false, null, null],
    [[], ['anything'], true, null, null],
  ])('%j lets %j through: %s, by %j and %j', (texts, items, passes, pattern, item) => {
    expect(matchIgnoreList(compiled(texts), items)).toEqual({ passes, pattern, item });
  });
});

function compiled(texts: readonly string[]): readonly Pattern[] {
  return texts.map((text) => {
    const result = compilePattern(text);
    if (!result.ok) throw new Error(result.problem);
    return result.pattern;
  });
}
