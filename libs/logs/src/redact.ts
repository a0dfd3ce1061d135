import { MASK } from './secret-forms';

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Masks every occurrence of these forms (see `secretForms`), also where they overlap or touch, and cuts each line that has more
 * than `limit` bytes: it keeps what fits, whole characters, and says at its end how many bytes are missing.
 */
export function redactLines(lines: readonly string[], forms: readonly string[], limit: number): string[] {
  const longest = forms.reduce((length, form) => Math.max(length, form.length), 0);
  // One search over all lines together finds out that, mostly, there is nothing to mask.
  const text = lines.map((line) => line.slice(0, limit + longest)).join('\n');
  const found = forms.filter((form) => text.includes(form));
  return lines.map((line) => redact(line, found, limit));
}

function redact(line: string, forms: readonly string[], limit: number): string {
  const bytes = byteLength(line, limit);
  if (bytes <= limit) return mask(line, forms, line.length);
  const kept = Buffer.from(line.slice(0, limit)).subarray(0, limit);
  const text = kept.subarray(0, wholeCharacters(kept)).toString();
  // A secret that begins within the kept part may end beyond it.
  const reach = forms.reduce((longest, form) => Math.max(longest, form.length), 0);
  const dropped = bytes - Buffer.byteLength(text);
  return `${mask(line.slice(0, text.length + reach), forms, text.length)} [line cut: ${dropped} bytes dropped]`;
}

/** The part of the line before `end`, masked; a secret that crosses the end is masked whole. */
function mask(line: string, forms: readonly string[], end: number): string {
  if (forms.length === 0) return line.slice(0, end);
  let masked = '';
  let at = 0;
  for (const span of merge(forms.flatMap((form) => occurrences(line, form)))) {
    if (span.start >= end) break;
    masked += line.slice(at, span.start) + MASK;
    at = span.end;
  }
  return at < end ? masked + line.slice(at, end) : masked;
}

function occurrences(line: string, form: string): Span[] {
  const spans: Span[] = [];
  for (let start = line.indexOf(form); start >= 0; start = line.indexOf(form, start + 1)) spans.push({ start, end: start + form.length });
  return spans;
}

function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && last.end >= span.start) merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    else merged.push(span);
  }
  return merged;
}

/** Exact only above the limit: a UTF-16 unit has three bytes at most. */
function byteLength(line: string, limit: number): number {
  return line.length * 3 <= limit ? line.length : Buffer.byteLength(line);
}

/** Bytes up to the last character that is there whole. */
function wholeCharacters(bytes: Buffer): number {
  let start = bytes.length - 1;
  while (start > 0 && ((bytes[start] as number) & 0xc0) === 0x80) start -= 1;
  const first = bytes[start] as number;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return start + length <= bytes.length ? bytes.length : start;
}
