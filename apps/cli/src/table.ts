/** Rows beneath their headings, in columns as wide as they need. Empty columns are left out. */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map(printable));
  const columns = headings.map((_, column) => column).filter((column) => clean.length === 0 || clean.some((row) => row[column] !== ''));
  const widths = new Map(columns.map((column) => [column, Math.max(...[headings, ...clean].map((row) => widthOf(row[column] ?? '')))]));
  const line = (row: readonly string[]) =>
    columns
      .map((column) => padded(row[column] ?? '', widths.get(column) ?? 0))
      .join('  ')
      .trimEnd();
  return [headings, ...clean].map((row) => `${line(row)}\n`).join('');
}

/** Names and their values, one below the other; what has no value is left out. */
export function renderFacts(facts: readonly (readonly [name: string, value: string | null | undefined])[]): string {
  const known = facts.flatMap(([name, value]) => (value ? [[name, printable(value)] as const] : []));
  const width = Math.max(0, ...known.map(([name]) => name.length));
  return known.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
}

const ESCAPE_SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** Text of strangers on one line, without what a terminal would obey. */
export function printable(text: string): string {
  return text.replaceAll(ESCAPE_SEQUENCES, '').replaceAll(CONTROLS, ' ').trimEnd();
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(width - widthOf(text));
}

function widthOf(text: string): number {
  return [...text].length;
}
