import type { JsonObject } from './json';
import { evaluateTemplate, hasExpression, type ParsedTemplate, parseTemplate, type Place, type Template } from './template';

/** What `success()` and its like tell of the jobs that are needed directly. */
export interface NeedsState {
  /** All succeeded, or failed and were allowed to. */
  readonly haveSucceeded: boolean;
  readonly hasFailure: boolean;
  readonly hasCancelled: boolean;
}

export type ConditionResult = { readonly ok: true; readonly isMet: boolean } | { readonly ok: false; readonly problem: string };

const STATUS_FUNCTIONS = {
  success: (needs) => needs.haveSucceeded,
  failure: (needs) => needs.hasFailure,
  cancelled: (needs) => needs.hasCancelled,
  always: () => true,
} as const satisfies Record<string, (needs: NeedsState) => boolean>;

const PLACE: Place = { contexts: new Set(['github', 'gitea', 'forgejo', 'needs']), functions: new Set(Object.keys(STATUS_FUNCTIONS)) };

/** Reads the `if` of a job, with or without `${{ }}` around it. */
export function parseCondition(text: string): ParsedTemplate {
  const written = text.trim();
  return parseTemplate(hasExpression(written) ? written : `\${{ ${written} }}`, PLACE);
}

/** Which contexts a condition reads; of one that cannot be read, none. */
export function contextsOfCondition(text: string): ReadonlySet<string> {
  const parsed = parseCondition(text);
  return new Set(parsed.ok ? expressionsIn(parsed.template).flatMap(({ contexts }) => [...contexts]) : []);
}

/**
 * Whether a job with this `if` goes on, now that all it needs has ended. One that asks for no status also wants `success()`.
 * Text around an expression makes it a text, which is true (as on GitHub).
 */
export function evaluateCondition(text: string, contexts: { readonly github: JsonObject; readonly needs: JsonObject }, needs: NeedsState): ConditionResult {
  const parsed = parseCondition(text);
  if (!parsed.ok) return { ok: false, problem: parsed.problem };
  const asksForStatus = expressionsIn(parsed.template).some(({ functions }) => functions.size > 0);
  if (!asksForStatus && !needs.haveSucceeded) return { ok: true, isMet: false };
  const { github } = contexts;
  const functions = Object.fromEntries(Object.entries(STATUS_FUNCTIONS).map(([name, call]) => [name, () => call(needs)]));
  const evaluated = evaluateTemplate(parsed.template, { ...contexts, gitea: github, forgejo: github }, functions);
  return evaluated.ok ? { ok: true, isMet: Boolean(evaluated.value) } : evaluated;
}

function expressionsIn(template: Template) {
  return template.flatMap((part) => (typeof part === 'string' ? [] : [part]));
}
