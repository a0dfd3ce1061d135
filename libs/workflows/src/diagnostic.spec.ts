import { describe, expect, it } from '@jest/globals';
import { DiagnosticLog, quote } from './diagnostic';

describe('the log of diagnostics', () => {
  it('keeps the order of the file, whatever order they came in', () => {
    const log = new DiagnosticLog();
    log.error({ line: 3, column: 1 }, 'wrong-type', 'c');
    log.warning({ line: 2, column: 9 }, 'unknown-key', 'b');
    log.error({ line: 2, column: 1 }, 'wrong-type', 'a');

    expect(log.all().map((diagnostic) => diagnostic.message)).toEqual(['a', 'b', 'c']);
  });

  it('stops at a hundred of each kind, so that warnings never hide an error', () => {
    const log = new DiagnosticLog();
    for (let line = 1; line <= 500; line += 1) log.warning({ line, column: 1 }, 'unknown-key', 'w');
    log.error({ line: 600, column: 1 }, 'wrong-type', 'e');

    expect(log.hasErrors).toBe(true);
    expect(log.all()).toHaveLength(101);
  });

  it('quotes a text on one line and cuts a long one', () => {
    expect(quote('a\n"b"')).toBe('"a\\n\\"b\\""');
    expect(quote('x'.repeat(1_000))).toHaveLength(83);
  });
});
