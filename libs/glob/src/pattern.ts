import { ANY_BUT_SLASH, ANY_CHARACTER, type CharacterSet, exactly, NO_CHARACTER, readClass } from './character-set';
import { simulate, type State } from './states';

/** Longer than any ref or path rule people write; it bounds the work of one comparison. */
const MAX_PATTERN_LENGTH = 1_024;

/** A compiled filter pattern: plain data, usable for any number of comparisons and in another thread. */
export interface Pattern {
  readonly text: string;
  /** The text begins with `!`: the pattern takes away what earlier ones gave. */
  readonly negated: boolean;
  /** Literal text that every subject begins and ends with: most subjects are refused by it alone. */
  readonly prefix: string;
  readonly suffix: string;
  /** What must stand between the two. */
  readonly states: readonly State[];
}

export type CompiledPattern = { readonly ok: true; readonly pattern: Pattern } | { readonly ok: false; readonly problem: string };

/**
 * Compiles one workflow filter pattern (the language of `branches`, `tags`, `paths`): `*` stays within a path segment, `**`
 * crosses segments, `?` and `+` repeat the character or class before them, `[…]` is a class, a leading `!` negates, `\`
 * escapes. The problem names the pattern and what to write instead.
 */
export function compilePattern(text: string): CompiledPattern {
  const negated = text.startsWith('!');
  const chars = Array.from(negated ? text.slice(1) : text);
  if (chars.length === 0) return refuse(text, 'it is empty and could match nothing');
  if (text.length > MAX_PATTERN_LENGTH) {
    return refuse(`${text.slice(0, 40)}…`, `it is longer than ${MAX_PATTERN_LENGTH} characters`);
  }

  const atoms: Atom[] = [];
  for (let at = 0; at < chars.length; ) {
    const atom = readAtom(chars, at);
    if (typeof atom === 'string') return refuse(text, atom);
    at += atom.length;
    const quantifier = atom.repeatable ? asQuantifier(chars[at]) : undefined;
    if (quantifier) at += 1;
    atoms.push(quantifier ? repeat(atom, quantifier) : atom);
  }
  return { ok: true, pattern: { text, negated, ...split(atoms) } };
}

/** Whether the whole subject fits, case-sensitively. A leading `!` plays no part: what it means depends on the list. */
export function matchesPattern(pattern: Pattern, subject: string): boolean {
  const { prefix, suffix, states } = pattern;
  const end = subject.length - suffix.length;
  if (end < prefix.length || !subject.startsWith(prefix) || !subject.endsWith(suffix)) return false;
  return simulate(states, subject.slice(prefix.length, end)).matches;
}

interface Atom {
  /** How many characters of the pattern it takes. */
  readonly length: number;
  readonly states: readonly State[];
  readonly repeatable: boolean;
  readonly literal?: string;
}

function split(atoms: readonly Atom[]): Pick<Pattern, 'prefix' | 'suffix' | 'states'> {
  const isOpen = (atom: Atom): boolean => atom.literal === undefined;
  const firstOpen = atoms.findIndex(isOpen);
  const start = firstOpen === -1 ? atoms.length : firstOpen;
  const end = atoms.findLastIndex(isOpen) + 1;
  const literals = (part: readonly Atom[]): string => part.map((atom) => atom.literal).join('');
  return {
    prefix: literals(atoms.slice(0, start)),
    suffix: literals(atoms.slice(Math.max(start, end))),
    states: atoms.slice(start, end).flatMap((atom) => atom.states),
  };
}

const SEGMENT: State = { set: ANY_BUT_SLASH, loops: true, skips: [1] };
const ANYTHING: State = { set: ANY_CHARACTER, loops: true, skips: [1] };
/** Zero or more whole directories: either nothing at all, or anything that ends with a slash. */
const DIRECTORIES: readonly State[] = [{ set: NO_CHARACTER, loops: false, skips: [1, 3] }, ANYTHING, one(exactly('/'))];

/** What stands at this place, or the reason why nothing can. */
function readAtom(chars: readonly string[], at: number): Atom | string {
  const char = chars[at] ?? '';
  if (char === '*') return readStars(chars, at);
  if (char === '?' || char === '+') {
    return `"${char}" repeats the single character or class before it, and there is none; write "\\${char}" for the character itself`;
  }
  if (char === '[') {
    const found = readClass(chars, at);
    return typeof found === 'string' ? found : { length: found.length, states: [one(found.set)], repeatable: true };
  }
  if (char !== '\\') return literal(char, 1);
  const escaped = chars[at + 1];
  return escaped === undefined ? 'it ends with a backslash that escapes nothing' : literal(escaped, 2);
}

function readStars(chars: readonly string[], at: number): Atom {
  let end = at;
  while (chars[end] === '*') end += 1;
  const stars = end - at;
  const startsDirectory = at === 0 || chars[at - 1] === '/';
  if (stars > 1 && startsDirectory && chars[end] === '/' && !asQuantifier(chars[end + 1])) {
    return { length: stars + 1, states: DIRECTORIES, repeatable: false };
  }
  return { length: stars, states: [stars === 1 ? SEGMENT : ANYTHING], repeatable: false };
}

function literal(char: string, length: number): Atom {
  return { length, states: [one(exactly(char))], repeatable: true, literal: char };
}

function one(set: CharacterSet): State {
  return { set, loops: false, skips: [] };
}

function asQuantifier(char: string | undefined): '?' | '+' | undefined {
  return char === '?' || char === '+' ? char : undefined;
}

function repeat(atom: Atom, quantifier: '?' | '+'): Atom {
  const states = atom.states.map((state) => (quantifier === '?' ? { ...state, skips: [1] } : { ...state, loops: true }));
  return { length: atom.length + 1, states, repeatable: false };
}

function refuse(text: string, problem: string): CompiledPattern {
  return { ok: false, problem: `the pattern "${text}" cannot be used: ${problem}` };
}
