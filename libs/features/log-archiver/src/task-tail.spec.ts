import { describe, expect, it } from '@jest/globals';
import { TaskTail } from './task-tail';

const NEVER = new AbortController().signal;

function newTail(): TaskTail {
  return new TaskTail(undefined as never, 1);
}

describe('waiting for a log to change', () => {
  it('ends at once when it has changed since the mark', async () => {
    const tail = newTail();
    const mark = tail.mark;
    tail.learn({ rows: 1, isComplete: false });

    expect(await tail.changed(mark, 60_000, NEVER)).toBe(true);
  });

  it('ends when it changes', async () => {
    const tail = newTail();
    const waiting = tail.changed(tail.mark, 60_000, NEVER);

    tail.learn({ rows: 0, isComplete: true });

    expect(await waiting).toBe(true);
    expect(tail.isEnded).toBe(true);
  });

  it('ends without a change after a while, and when the reader has gone', async () => {
    const tail = newTail();
    const gone = new AbortController();
    const waiting = tail.changed(tail.mark, 60_000, gone.signal);
    gone.abort();

    expect(await waiting).toBe(false);
    expect(await tail.changed(tail.mark, 1, NEVER)).toBe(false);
    expect(await tail.changed(tail.mark, 60_000, gone.signal)).toBe(false);
  });

  it('is not ended by a look that found nothing new', async () => {
    const tail = newTail();
    tail.learn({ rows: 5, isComplete: false });
    const mark = tail.mark;

    tail.learn({ rows: 5, isComplete: false });
    tail.learn({ rows: 3, isComplete: false });

    expect(tail.mark).toBe(mark);
    expect(tail.rows).toBe(5);
  });
});
