import { matchesPattern, type Pattern } from './pattern';

/** Whether a list lets an event through, and the pattern and item that decided; null where none did. */
export interface ListVerdict {
  readonly passes: boolean;
  readonly pattern: string | null;
  readonly item: string | null;
}

const INERT: ListVerdict = { passes: true, pattern: null, item: null };

/**
 * `branches`, `tags`, `paths`: one surviving item is enough. The last pattern that matches an item decides about it, so a
 * later `!` excludes and a later positive pattern takes back in. A list without patterns has no effect; without items
 * nothing survives.
 */
export function matchIncludeList(patterns: readonly Pattern[], items: readonly string[]): ListVerdict {
  if (patterns.length === 0) return INERT;
  let excluded: ListVerdict = { passes: false, pattern: null, item: null };
  for (const item of items) {
    const decider = patterns.findLast((pattern) => matchesPattern(pattern, item));
    if (decider && !decider.negated) return { passes: true, pattern: decider.text, item };
    if (decider && excluded.pattern === null) excluded = { passes: false, pattern: decider.text, item };
  }
  return excluded;
}

/**
 * `branches-ignore`, `tags-ignore`, `paths-ignore`: blocks only if every item fits some pattern, in any order; a pattern with
 * `!` fits everything it does not match. A list without patterns has no effect; without items it blocks.
 */
export function matchIgnoreList(patterns: readonly Pattern[], items: readonly string[]): ListVerdict {
  if (patterns.length === 0) return INERT;
  let ignored: ListVerdict = { passes: false, pattern: null, item: null };
  for (const item of items) {
    const decider = patterns.find((pattern) => matchesPattern(pattern, item) !== pattern.negated);
    if (!decider) return { passes: true, pattern: null, item };
    if (ignored.pattern === null) ignored = { passes: false, pattern: decider.text, item };
  }
  return ignored;
}
