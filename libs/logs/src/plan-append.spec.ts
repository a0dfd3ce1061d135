import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeRows, encodeRow, type LogRow, logTime } from './log-row';
import { EMPTY_TAIL, type LogBatch, type LogTail, planAppend, storedRows } from './plan-append';

const LIMITS = { line: 1_000, task: 1_000_000 };
const ROW_BYTES = 'T'.length + 29 + ' r0\n'.length;

function rows(from: number, to: number): LogRow[] {
  return Array.from({ length: to - from }, (_, at) => ({ time: logTime(from + at, 0), content: `r${from + at}` }));
}

function batch(from: number, to: number, noMore = false): LogBatch {
  return { index: from, rows: rows(from, to), noMore, secrets: [] };
}

function tailAt(count: number, isComplete = false): LogTail {
  return { rows: count, bytes: count * ROW_BYTES, droppedRows: 0, isComplete };
}

function contents(plan: { readonly chunks: readonly { readonly text: string }[] }): string[] {
  return plan.chunks.flatMap((chunk) => decodeRows(Buffer.from(chunk.text)).map((row) => row.content));
}

describe('an append', () => {
  it.each<[string, LogTail, LogBatch, number, readonly string[], 'complete' | 'open' | 'unchanged']>([
    ['the first rows', EMPTY_TAIL, batch(0, 2), 2, ['r0', 'r1'], 'open'],
    ['the next rows', tailAt(2), batch(2, 4), 4, ['r2', 'r3'], 'open'],
    ['the same rows again', tailAt(2), batch(0, 2), 2, [], 'unchanged'],
    ['older rows again', tailAt(5), batch(1, 3), 3, [], 'unchanged'],
    ['rows that overlap', tailAt(3), batch(1, 5), 5, ['r3', 'r4'], 'open'],
    ['rows behind a gap', tailAt(2), batch(5, 7), 2, [], 'unchanged'],
    ['no rows', tailAt(2), batch(2, 2), 2, [], 'unchanged'],
    ['no rows, further back', tailAt(5), batch(2, 2), 2, [], 'unchanged'],
    ['the end with rows', tailAt(2), batch(2, 3, true), 3, ['r2'], 'complete'],
    ['the end without rows', tailAt(2), batch(2, 2, true), 2, [], 'complete'],
    ['the end of an empty log', EMPTY_TAIL, batch(0, 0, true), 0, [], 'complete'],
    ['the end with rows that are stored', tailAt(5), batch(3, 5, true), 5, [], 'complete'],
    ['the end behind a gap', tailAt(2), batch(4, 6, true), 2, [], 'unchanged'],
    ['the end behind a gap, without rows', tailAt(2), batch(4, 4, true), 2, [], 'unchanged'],
    ['the end for the second time', tailAt(3, true), batch(2, 3, true), 3, [], 'unchanged'],
    ['the end for the second time, without rows', tailAt(3, true), batch(3, 3, true), 3, [], 'unchanged'],
    ['rows after the end', tailAt(3, true), batch(3, 5), 3, [], 'unchanged'],
    ['older rows after the end', tailAt(9, true), batch(3, 5), 5, [], 'unchanged'],
  ])('of %s', (_what, tail, sent, ackIndex, stored, outcome) => {
    const plan = planAppend(tail, sent, LIMITS);

    expect(plan.ackIndex).toBe(ackIndex);
    expect(contents(plan)).toEqual(stored);
    expect(plan.next === undefined ? 'unchanged' : plan.next.isComplete ? 'complete' : 'open').toBe(outcome);
    if (plan.next) expect(plan.next).toMatchObject({ rows: tail.rows + stored.length, bytes: tail.bytes + plan.chunks.reduce((n, c) => n + c.text.length, 0) });
  });

  it('masks and cuts what it keeps', () => {
    const sent = { index: 0, rows: [{ time: logTime(0, 0), content: 'say hunter22 to all' }], noMore: false, secrets: ['hunter22'] };

    expect(contents(planAppend(EMPTY_TAIL, sent, { ...LIMITS, line: 14 }))).toEqual(['say *** t [line cut: 5 bytes dropped]']);
  });

  it('never acknowledges more than was sent, and whatever comes how often stores each row once', () => {
    const step = fc.record({ from: fc.nat(30), length: fc.nat(12) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let tail = EMPTY_TAIL;
        let text = '';
        for (const { from, length } of steps) {
          const plan = planAppend(tail, batch(from, from + length), LIMITS);
          expect(plan.ackIndex).toBeLessThanOrEqual(from + length);
          expect(plan.chunks[0]?.startIndex ?? tail.rows).toBe(tail.rows);
          text += plan.chunks.map((chunk) => chunk.text).join('');
          tail = plan.next ?? tail;
          expect(plan.ackIndex).toBeLessThanOrEqual(tail.rows);
        }
        expect(text).toBe(rows(0, tail.rows).map(encodeRow).join(''));
      }),
    );
  });
});

describe('chunks', () => {
  it('hold at most 128 KiB, in order and without a hole; a row that is longer has its own', () => {
    const sizes = [60_000, 60_000, 60_000, 300_000, 10, 10];
    const sent = { index: 7, rows: sizes.map((size) => ({ time: logTime(0, 0), content: 'x'.repeat(size) })), noMore: false, secrets: [] };

    const plan = planAppend(tailAt(7), sent, { line: 1_000_000, task: 10_000_000 });

    expect(plan.chunks.map(({ startIndex, rows: count }) => [startIndex, count])).toEqual([
      [7, 2],
      [9, 1],
      [10, 1],
      [11, 2],
    ]);
  });
});

describe('the limit of a task', () => {
  const limits = { line: 1_000, task: 3 * ROW_BYTES };
  const MARKER = '[this task logged more than 102 B: the rest is dropped]';

  it('lets rows be acknowledged and dropped, with one row that says so', () => {
    const plan = planAppend(tailAt(2), batch(2, 6), limits);

    expect(plan.ackIndex).toBe(6);
    expect(contents(plan)).toEqual(['r2', MARKER]);
    expect(plan.next).toMatchObject({ rows: 6, droppedRows: 3 });
    expect(storedRows(plan.next as LogTail)).toBe(4);
  });

  it('is said once, however often rows still come', () => {
    const over = planAppend(tailAt(2), batch(2, 4), limits).next as LogTail;

    const plan = planAppend(over, batch(4, 6), limits);

    expect(plan).toMatchObject({ ackIndex: 6, chunks: [], next: { rows: 6, droppedRows: 3, bytes: over.bytes } });
    expect(storedRows(plan.next as LogTail)).toBe(4);
  });

  it('does not stand in the way of the end', () => {
    const over = planAppend(tailAt(2), batch(2, 4), limits).next as LogTail;

    expect(planAppend(over, batch(4, 5, true), limits)).toMatchObject({ ackIndex: 5, next: { isComplete: true } });
  });

  it('is not reached by a log that just fits', () => {
    const plan = planAppend(tailAt(2), batch(2, 3), limits);

    expect(contents(plan)).toEqual(['r2']);
    expect(plan.next).toMatchObject({ droppedRows: 0 });
  });
});
