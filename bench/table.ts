import { loadavg } from 'node:os';

/** Prints rows beneath the names of their columns, which are the keys of the first. */
export function printTable(rows: readonly Readonly<Record<string, string | number>>[]): void {
  const names = Object.keys(rows[0] ?? {});
  const lines = [names, ...rows.map((row) => names.map((name) => show(row[name] ?? '')))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  for (const line of lines) {
    console.log(line.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '));
  }
  console.log('');
}

/** Three significant digits, or all digits before the point. */
export function show(value: string | number): string {
  if (typeof value === 'string') return value;
  return value.toLocaleString('en', Math.abs(value) >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 });
}

/** A figure means little without how busy the machine was besides. */
export function printLoadAverage(when: string): void {
  console.log(
    `load average ${when}: ${loadavg()
      .map((each) => each.toFixed(1))
      .join(' ')}`,
  );
}
