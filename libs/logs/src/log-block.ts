/** Some rows that lie behind one another, encoded. */
export interface LogBlock {
  /** The first row's index in the log. */
  readonly start: number;
  readonly rows: number;
  readonly text: Buffer;
}

const LINE_FEED = 0x0a;

/** The part of a block that lies within `from` to `to` (exclusive); it may have no row. */
export function sliceBlock(block: LogBlock, from: number, to: number): LogBlock {
  const first = Math.min(Math.max(from - block.start, 0), block.rows);
  const last = Math.min(Math.max(to - block.start, first), block.rows);
  if (first === 0 && last === block.rows) return block;
  const begin = rowOffset(block.text, 0, first);
  const end = last === block.rows ? block.text.length : rowOffset(block.text, begin, last - first);
  return { start: block.start + first, rows: last - first, text: block.text.subarray(begin, end) };
}

/** Where the text goes on after this many rows. */
function rowOffset(text: Buffer, from: number, rows: number): number {
  let at = from;
  for (let row = 0; row < rows; row += 1) at = text.indexOf(LINE_FEED, at) + 1;
  return at;
}

/** The rows of text that ends with a whole row. */
export function countRows(text: Buffer): number {
  let rows = 0;
  for (let at = text.indexOf(LINE_FEED); at >= 0; at = text.indexOf(LINE_FEED, at + 1)) rows += 1;
  return rows;
}
