import { formatByteSize } from '@triphammer/foundation';
import { encodeRow, type LogRow } from './log-row';
import { redactLines } from './redact';

/** How far a task's log is. */
export interface LogTail {
  /** Rows taken from the runner, see `TaskLog`. */
  readonly rows: number;
  readonly bytes: number;
  readonly droppedRows: number;
  readonly isComplete: boolean;
}

export interface LogLimits {
  /** Bytes of one row's content. */
  readonly line: number;
  /** Bytes of one task's rows, as stored. */
  readonly task: number;
}

/** What a runner sends in one call. */
export interface LogBatch {
  /** The first row's place in the log, counted from 0. */
  readonly index: number;
  readonly rows: readonly LogRow[];
  /** The log ends after these rows. */
  readonly noMore: boolean;
  /** What must not be stored, see `secretForms`. */
  readonly secrets: readonly string[];
}

/** Encoded rows that are kept, and read, as one. */
export interface NewChunk {
  readonly startIndex: number;
  readonly rows: number;
  readonly text: string;
}

export interface AppendPlan {
  /** To tell the runner, once `next` is stored: never above what it sent. */
  readonly ackIndex: number;
  /** Undefined: the batch changes nothing. */
  readonly next: LogTail | undefined;
  readonly chunks: readonly NewChunk[];
}

export const EMPTY_TAIL: LogTail = { rows: 0, bytes: 0, droppedRows: 0, isComplete: false };

/** A chunk is read whole, whatever part of it is wanted. One row may make it larger. */
const CHUNK_CHARACTERS = 128 * 1024;

/**
 * What a batch adds to a log that is this far: its rows from the first that is not stored, masked and cut. Rows behind a gap and
 * rows after the end are not taken, and the end only when nothing before it is missing.
 */
export function planAppend(tail: LogTail, batch: LogBatch, limits: LogLimits): AppendPlan {
  const end = batch.index + batch.rows.length;
  const isOpen = !tail.isComplete && batch.index <= tail.rows;
  if (!isOpen || (end <= tail.rows && !batch.noMore)) return { ackIndex: Math.min(tail.rows, end), next: undefined, chunks: [] };
  const fresh = batch.rows.slice(tail.rows - batch.index);
  const kept = keepWithin(tail, encode(fresh, batch.secrets, limits.line), fresh, limits.task);
  const next = {
    rows: Math.max(tail.rows, end),
    bytes: kept.bytes,
    droppedRows: tail.droppedRows + kept.droppedRows,
    isComplete: batch.noMore,
  };
  return { ackIndex: end, next, chunks: chunksOf(kept.lines, storedRows(tail)) };
}

/** How many rows can be read: those that were taken, with one in place of all that were dropped. */
export function storedRows(tail: Pick<LogTail, 'rows' | 'droppedRows'>): number {
  return tail.droppedRows > 0 ? tail.rows - tail.droppedRows + 1 : tail.rows;
}

function encode(rows: readonly LogRow[], secrets: readonly string[], lineLimit: number): string[] {
  const contents = redactLines(
    rows.map((row) => row.content),
    secrets,
    lineLimit,
  );
  return rows.map((row, at) => encodeRow({ time: row.time, content: contents[at] as string }));
}

interface Kept {
  readonly lines: readonly string[];
  readonly bytes: number;
  readonly droppedRows: number;
}

/** Once a row was dropped, all later ones are, so that what is stored has no hole. */
function keepWithin(tail: LogTail, lines: readonly string[], rows: readonly LogRow[], limit: number): Kept {
  if (tail.droppedRows > 0) return { lines: [], bytes: tail.bytes, droppedRows: lines.length };
  let bytes = tail.bytes;
  for (const [at, line] of lines.entries()) {
    const size = Buffer.byteLength(line);
    if (bytes + size > limit) return cutOff(lines.slice(0, at), bytes, rows.slice(at), limit);
    bytes += size;
  }
  return { lines, bytes, droppedRows: 0 };
}

function cutOff(lines: readonly string[], bytes: number, dropped: readonly LogRow[], limit: number): Kept {
  const [first] = dropped;
  if (!first) return { lines, bytes, droppedRows: 0 };
  const marker = encodeRow({ time: first.time, content: `[this task logged more than ${formatByteSize(limit)}: the rest is dropped]` });
  return { lines: [...lines, marker], bytes: bytes + Buffer.byteLength(marker), droppedRows: dropped.length };
}

function chunksOf(lines: readonly string[], firstIndex: number): NewChunk[] {
  const chunks: NewChunk[] = [];
  let from = 0;
  let characters = 0;
  for (const [at, line] of lines.entries()) {
    if (at > from && characters + line.length > CHUNK_CHARACTERS) {
      chunks.push({ startIndex: firstIndex + from, rows: at - from, text: lines.slice(from, at).join('') });
      from = at;
      characters = 0;
    }
    characters += line.length;
  }
  if (from < lines.length) chunks.push({ startIndex: firstIndex + from, rows: lines.length - from, text: lines.slice(from).join('') });
  return chunks;
}
