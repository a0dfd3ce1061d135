/** Which characters may stand at one place of a subject. Plain data; the slash is apart because classes never take it. */
export interface CharacterSet {
  readonly slash: boolean;
  /** All but the ranges. */
  readonly negated: boolean;
  /** Code points, both ends included. */
  readonly ranges: readonly (readonly [number, number])[];
}

export const ANY_CHARACTER: CharacterSet = { slash: true, negated: true, ranges: [] };
export const ANY_BUT_SLASH: CharacterSet = { slash: false, negated: true, ranges: [] };
export const NO_CHARACTER: CharacterSet = { slash: false, negated: false, ranges: [] };

export function exactly(char: string): CharacterSet {
  const code = codeOf(char);
  return char === '/' ? { slash: true, negated: false, ranges: [] } : { slash: false, negated: false, ranges: [[code, code]] };
}

export function accepts({ slash, negated, ranges }: CharacterSet, char: string): boolean {
  if (char === '/') return slash;
  const code = codeOf(char);
  for (const [low, high] of ranges) if (low <= code && code <= high) return !negated;
  return negated;
}

/**
 * Reads `[abc]`, `[a-z0-9]`, `[!a]` or `[^a]` at a place where `[` stands, or says why it cannot. A `]` that comes first is a
 * member; `\` escapes.
 */
export function readClass(chars: readonly string[], start: number): { readonly length: number; readonly set: CharacterSet } | string {
  const negated = chars[start + 1] === '!' || chars[start + 1] === '^';
  const first = start + (negated ? 2 : 1);
  const ranges: (readonly [number, number])[] = [];
  let at = first;
  while (at === first || chars[at] !== ']') {
    const low = readMember(chars, at);
    if (!low) return 'the class that "[" opens is never closed; write "\\[" for the bracket itself';
    at += low.length;
    const high = chars[at] === '-' && chars[at + 1] !== ']' ? readMember(chars, at + 1) : undefined;
    if (high) at += high.length + 1;
    const range = [low.code, (high ?? low).code] as const;
    if (range[0] > range[1]) return `the range in "${chars.slice(start, at).join('')}" runs backwards`;
    ranges.push(range);
  }
  return { length: at + 1 - start, set: { slash: false, negated, ranges } };
}

function readMember(chars: readonly string[], at: number): { readonly code: number; readonly length: number } | undefined {
  const escaped = chars[at] === '\\';
  const char = chars[escaped ? at + 1 : at];
  return char === undefined ? undefined : { code: codeOf(char), length: escaped ? 2 : 1 };
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}
