import { compilePattern, type Pattern } from '@triphammer/glob';
import { type DiagnosticLog, type Position, quote } from './diagnostic';
import { asScalar, readScalarList } from './fields';
import { PUSH_FILTERS, type PushFilter, type PushTrigger, type Triggers } from './workflow';
import { isNull, kindOf, type YamlEntry, type YamlNode, type YamlScalar } from './yaml-node';

/** Events that forges send or people start; a name outside this list is most likely a typing error. */
const KNOWN_EVENTS = new Set([
  'create',
  'delete',
  'fork',
  'gollum',
  'issue_comment',
  'issues',
  'package',
  'pull_request',
  'pull_request_comment',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_target',
  'registry_package',
  'release',
  'repository_dispatch',
  'schedule',
  'workflow_call',
  'workflow_dispatch',
  'workflow_run',
]);

/** Of one filter, all patterns together: it bounds what comparing them with many changed files can cost. */
const MAX_FILTER_CHARACTERS = 16 * 1024;

/** Reads `on:` in its three forms: a name, a list of names, a mapping. Null if it cannot be understood. */
export function readTriggers(node: YamlNode, log: DiagnosticLog): Triggers | null {
  const events = readEvents(node, log);
  if (!events) return null;
  if (events.length === 0) {
    log.error(node.at, 'wrong-value', '"on" names no event; write for example "on: push"');
    return null;
  }
  const others = events.filter((event) => event.name !== 'push');
  for (const { name, at } of others) warnOfEvent(name, at, log);
  const push = events.find((event) => event.name === 'push');
  return { push: push ? readPush(push.value, log) : null, others: others.map((event) => event.name) };
}

interface NamedEvent {
  readonly name: string;
  readonly at: Position;
  readonly value: YamlNode | null;
}

function readEvents(node: YamlNode, log: DiagnosticLog): readonly NamedEvent[] | null {
  if (node.kind === 'mapping') return node.entries.map(({ key, at, value }) => ({ name: key, at, value }));
  const items = node.kind === 'sequence' ? node.items : isNull(node) ? [] : [node];
  const names = items.map((item) => asScalar(item, 'each event in "on"', log));
  if (!names.every((name): name is YamlScalar => name !== null)) return null;
  return names.map((name) => ({ name: name.text, at: name.at, value: null }));
}

function warnOfEvent(name: string, at: Position, log: DiagnosticLog): void {
  if (KNOWN_EVENTS.has(name)) log.warning(at, 'not-supported-yet', `the event "${name}" is not supported yet; it starts no run`);
  else log.warning(at, 'unknown-event', `no forge sends an event called ${quote(name)}; it starts no run`);
}

function readPush(node: YamlNode | null, log: DiagnosticLog): PushTrigger {
  if (!node || isNull(node)) return { filters: {}, unknownKeys: [] };
  if (node.kind !== 'mapping') {
    log.error(node.at, 'wrong-type', `"push" takes a mapping of filters, not ${kindOf(node)}`);
    return { filters: {}, unknownKeys: [] };
  }
  const filters: Partial<Record<PushFilter, readonly Pattern[]>> = {};
  const unknownKeys: string[] = [];
  for (const entry of node.entries) {
    if (isFilter(entry.key)) {
      const patterns = readPatterns(entry, log);
      if (patterns.length > 0) filters[entry.key] = patterns;
    } else if (entry.key === 'types') {
      log.warning(entry.at, 'filter-without-effect', 'a push has no activity types; "types" is ignored');
    } else {
      unknownKeys.push(entry.key);
      const known = PUSH_FILTERS.join(', ');
      log.warning(entry.at, 'unknown-filter-key', `"push" has no filter ${quote(entry.key)}, so no push passes; remove it or use one of ${known}`);
    }
  }
  warnOfCombinations(filters, node.at, log);
  return { filters, unknownKeys };
}

function readPatterns(entry: YamlEntry, log: DiagnosticLog): readonly Pattern[] {
  const what = `each pattern in "${entry.key}"`;
  const items = readScalarList(entry, what, log);
  if (items.reduce((sum, item) => sum + item.text.length, 0) > MAX_FILTER_CHARACTERS) {
    log.error(entry.at, 'wrong-value', `the patterns in "${entry.key}" are longer than ${MAX_FILTER_CHARACTERS} characters together; use fewer, wider ones`);
    return [];
  }
  const patterns: Pattern[] = [];
  for (const { text, at } of items) {
    const compiled = compilePattern(text);
    if (compiled.ok) patterns.push(compiled.pattern);
    else log.error(at, 'invalid-pattern', compiled.problem);
  }
  if (isNull(entry.value) || (entry.value.kind === 'sequence' && entry.value.items.length === 0)) {
    log.warning(entry.at, 'filter-without-effect', `"${entry.key}" holds no pattern and has no effect`);
  }
  warnOfNegation(entry, patterns, log);
  return patterns;
}

function warnOfNegation({ key, at }: YamlEntry, patterns: readonly Pattern[], log: DiagnosticLog): void {
  if (!key.endsWith('-ignore')) {
    const onlyNegated = patterns.length > 0 && patterns.every((pattern) => pattern.negated);
    if (onlyNegated) log.warning(at, 'surprising-filter', `"${key}" only excludes, so nothing passes; begin the list with a pattern such as "**"`);
    return;
  }
  for (const { text } of patterns.filter((pattern) => pattern.negated)) {
    const include = key.slice(0, -'-ignore'.length);
    log.warning(at, 'surprising-filter', `${quote(text)} in "${key}" ignores everything except what it matches; use "${include}" to negate`);
  }
}

function warnOfCombinations(filters: PushTrigger['filters'], at: Position, log: DiagnosticLog): void {
  for (const key of ['branches', 'tags', 'paths'] as const) {
    if (filters[key] && filters[`${key}-ignore`]) {
      log.warning(at, 'surprising-filter', `"${key}" and "${key}-ignore" stand side by side and must both pass; use "!" patterns in "${key}" instead`);
    }
  }
  const branch = filters.branches ?? filters['branches-ignore'];
  const tag = filters.tags ?? filters['tags-ignore'];
  const path = filters.paths ?? filters['paths-ignore'];
  if (tag && path && !branch) {
    log.warning(at, 'surprising-filter', 'with only a tag filter no branch push passes, and path filters are not tested for tags; add "branches"');
  }
}

function isFilter(key: string): key is PushFilter {
  return PUSH_FILTERS.some((filter) => filter === key);
}
