import { type ListVerdict, matchIgnoreList, matchIncludeList } from '@triphammer/glob';
import type { PushFilter, PushTrigger, Triggers } from './workflow';

export interface Push {
  /** `refs/heads/main`, `refs/tags/v1`. */
  readonly ref: string;
  readonly refType: 'branch' | 'tag';
  /** Paths from the root of the repository; undefined if no diff could be had, which is not the same as none. */
  readonly changedFiles: readonly string[] | undefined;
}

export type TriggerOutcome = 'matched' | 'filtered' | 'not-applicable';

export type TriggerCode =
  | 'no-filter'
  | 'filters-passed'
  | 'paths-not-tested-for-tags'
  | 'no-diff'
  | 'event-not-handled'
  | 'unknown-filter-key'
  | 'only-tag-filters'
  | 'only-branch-filters'
  | 'branch-filtered'
  | 'tag-filtered'
  | 'paths-filtered'
  | 'no-changed-files';

/** Whether an event starts a workflow, and what decided: a filter, one of its patterns, a changed file. */
export interface TriggerVerdict {
  readonly outcome: TriggerOutcome;
  readonly code: TriggerCode;
  /** The filter that decided, or the key that is no filter. */
  readonly rule?: string;
  readonly pattern?: string;
  readonly file?: string;
}

/**
 * All filters of a push must pass, but a branch need not pass tag filters, nor a tag branch or path filters; a file with filters
 * for one kind only excludes the other. If changed files are unknown, path filters let the push through.
 */
export function matchPush(on: Triggers, push: Push): TriggerVerdict {
  if (!on.push) return { outcome: 'not-applicable', code: 'event-not-handled' };
  const [unknownKey] = on.push.unknownKeys;
  if (unknownKey !== undefined) return { outcome: 'filtered', code: 'unknown-filter-key', rule: unknownKey };
  const byRef = matchRef(on.push, push);
  return byRef.outcome === 'matched' ? matchPaths(on.push, push, byRef) : byRef;
}

const REF_FILTERS = {
  branch: { include: 'branches', ignore: 'branches-ignore', prefix: 'refs/heads/', refused: 'branch-filtered', otherKindOnly: 'only-tag-filters' },
  tag: { include: 'tags', ignore: 'tags-ignore', prefix: 'refs/tags/', refused: 'tag-filtered', otherKindOnly: 'only-branch-filters' },
} as const;

function matchRef(trigger: PushTrigger, { ref, refType }: Push): TriggerVerdict {
  const { include, ignore, prefix, refused, otherKindOnly } = REF_FILTERS[refType];
  const other = REF_FILTERS[refType === 'branch' ? 'tag' : 'branch'];
  if (!trigger.filters[include] && !trigger.filters[ignore]) {
    const otherRule = [other.include, other.ignore].find((key) => trigger.filters[key]);
    return otherRule ? { outcome: 'filtered', code: otherKindOnly, rule: otherRule } : { outcome: 'matched', code: 'no-filter' };
  }
  const name = ref.startsWith(prefix) ? ref.slice(prefix.length) : ref;
  const { rule, verdict } = testPair(trigger, include, ignore, [name]);
  return verdict.passes ? passed(rule, verdict) : { outcome: 'filtered', code: refused, ...decidedBy(rule, verdict) };
}

function matchPaths(trigger: PushTrigger, { refType, changedFiles }: Push, byRef: TriggerVerdict): TriggerVerdict {
  const rule = (['paths', 'paths-ignore'] as const).find((key) => trigger.filters[key]);
  if (!rule) return byRef;
  if (refType === 'tag') return { outcome: 'matched', code: 'paths-not-tested-for-tags', rule };
  if (!changedFiles) return { outcome: 'matched', code: 'no-diff', rule };
  if (changedFiles.length === 0) return { outcome: 'filtered', code: 'no-changed-files', rule };
  const tested = testPair(trigger, 'paths', 'paths-ignore', changedFiles);
  const { pattern, item } = tested.verdict;
  const decided = { ...decidedBy(tested.rule, { pattern }), ...(item !== null && { file: item }) };
  return tested.verdict.passes ? { outcome: 'matched', code: 'filters-passed', ...decided } : { outcome: 'filtered', code: 'paths-filtered', ...decided };
}

/** Both lists must pass; the one that blocks decides, else the include list. */
function testPair(
  trigger: PushTrigger,
  include: PushFilter,
  ignore: PushFilter,
  items: readonly string[],
): { readonly rule: PushFilter; readonly verdict: ListVerdict } {
  const ignored = matchIgnoreList(trigger.filters[ignore] ?? [], items);
  if (!trigger.filters[include]) return { rule: ignore, verdict: ignored };
  const included = matchIncludeList(trigger.filters[include], items);
  return included.passes && !ignored.passes ? { rule: ignore, verdict: ignored } : { rule: include, verdict: included };
}

function passed(rule: PushFilter, verdict: ListVerdict): TriggerVerdict {
  return { outcome: 'matched', code: 'filters-passed', ...decidedBy(rule, verdict) };
}

function decidedBy(rule: PushFilter, { pattern }: Pick<ListVerdict, 'pattern'>): { readonly rule: string; readonly pattern?: string } {
  return { rule, ...(pattern !== null && { pattern }) };
}
