import { describe, expect, it } from '@jest/globals';
import { printable, renderFacts, renderTable } from './table';

describe('a table', () => {
  it('has columns as wide as they need, and none that is empty', () => {
    const text = renderTable(
      ['ID', 'NAME', 'NOTE', 'STATE'],
      [
        ['1', 'a long name', '', 'x'],
        ['200', 'ü✓', '', ''],
      ],
    );

    expect(text).toBe('ID   NAME         STATE\n1    a long name  x\n200  ü✓\n');
  });

  it('without rows has its headings', () => {
    expect(renderTable(['A', 'B'], [])).toBe('A  B\n');
  });
});

describe('facts', () => {
  it('stand one below the other, without those that are not known', () => {
    expect(
      renderFacts([
        ['Run', '7'],
        ['Nothing', null],
        ['Title', 'Fix\nit'],
      ]),
    ).toBe('Run    7\nTitle  Fix it\n');
  });
});

describe('text of strangers', () => {
  it.each([
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['a title for the window', '\u001b]0;mine\u0007text', 'text'],
    ['a link', '\u001b]8;;http://x\u001b\\text', 'text'],
    ['a lone escape', 'a\u001bcb', 'a cb'],
    ['lines and tabs', 'a\n\tb\r', 'a  b'],
    ['one-character controls', 'a\u009b31mb', 'a 31mb'],
    ['nothing of the kind', '  indented ✓', '  indented ✓'],
  ])('loses %s', (_case, text, shown) => {
    expect(printable(text)).toBe(shown);
  });
});
