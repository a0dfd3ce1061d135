import { Failure } from '@triphammer/foundation';

/** One line of a task's log. */
export interface LogRow {
  /** RFC 3339 in UTC with nine digits of a second, see `logTime`: always 30 characters. */
  readonly time: string;
  /** Without its line end. Anything else may be in it: escape sequences, carriage returns, NUL. */
  readonly content: string;
}

const TIME_LENGTH = '2026-11-30T16:34:36.470724802Z'.length;
const YEAR_1 = -62_135_596_800;
const YEAR_9999 = 253_402_300_799;
const LINE_FEED = '\n';
/** Data link escape: what a terminal ignores and no program prints, so that stored text is all but always the text itself. */
const ESCAPE = '\x10';
const NEEDS_ESCAPE = /[\n\x10]/g;
const ESCAPED = /\x10([n\x10])/g;

/** The time of a row from a protobuf Timestamp; what lies outside of the years 1 to 9999 is moved to their edge. */
export function logTime(seconds: number, nanos: number): string {
  const second = Math.min(YEAR_9999, Math.max(YEAR_1, Math.trunc(seconds)));
  const fraction = Math.min(999_999_999, Math.max(0, Math.trunc(nanos)));
  return `${new Date(second * 1000).toISOString().slice(0, 19)}.${String(fraction).padStart(9, '0')}Z`;
}

/** The time of a row that we write ourselves. */
export function logTimeOf(date: Date): string {
  return logTime(Math.floor(date.getTime() / 1000), (((date.getTime() % 1000) + 1000) % 1000) * 1_000_000);
}

/**
 * A row as it is stored: `<time> <content>` and a line feed, UTF-8. A line feed within the content becomes DLE `n`, a DLE two of
 * them; nothing else is changed, so a log reads as text. Half a surrogate pair becomes U+FFFD, once it is bytes.
 */
export function encodeRow(row: LogRow): string {
  return `${row.time} ${escape(row.content)}${LINE_FEED}`;
}

/** The rows of encoded text, which must end with a whole row; `corrupt` when it is not what `encodeRow` writes. */
export function decodeRows(text: Buffer): LogRow[] {
  const lines = text.toString().split(LINE_FEED);
  if (lines.pop() !== '') throw new Failure('corrupt', 'The stored log ends within a row.');
  return lines.map(decodeRow);
}

function decodeRow(line: string): LogRow {
  if (line[TIME_LENGTH] !== ' ' || line[TIME_LENGTH - 1] !== 'Z') throw new Failure('corrupt', 'The stored log has a row without a time.');
  return { time: line.slice(0, TIME_LENGTH), content: unescape(line.slice(TIME_LENGTH + 1)) };
}

function escape(content: string): string {
  if (!content.includes(LINE_FEED) && !content.includes(ESCAPE)) return content;
  return content.replace(NEEDS_ESCAPE, (character) => ESCAPE + (character === LINE_FEED ? 'n' : ESCAPE));
}

function unescape(content: string): string {
  if (!content.includes(ESCAPE)) return content;
  return content.replace(ESCAPED, (_pair, character: string) => (character === 'n' ? LINE_FEED : ESCAPE));
}
