import { type DiagnosticLog, quote } from './diagnostic';
import type { Json, JsonObject } from './json';
import { isNull, kindOf, toJson, type YamlEntry, type YamlMapping, type YamlNode, type YamlScalar } from './yaml-node';

export type TextMap = Readonly<Record<string, string>>;

export type KeyRule = 'read' | 'not-supported-yet';

export type Fields<K extends string> = Partial<Record<K, YamlEntry>>;

/** The entries of a mapping by key. Keys without a rule are reported and left out, as are those that mean something we cannot do yet. */
export function readFields<K extends string>(mapping: YamlMapping, rules: Readonly<Record<K, KeyRule>>, where: string, log: DiagnosticLog): Fields<K> {
  const fields: Fields<K> = {};
  for (const entry of mapping.entries) {
    if (!isKeyOf(rules, entry.key)) {
      const known = Object.keys(rules).filter((key) => isKeyOf(rules, key) && rules[key] === 'read');
      log.warning(entry.at, 'unknown-key', `${where} has no key ${quote(entry.key)}; it is ignored (known: ${known.join(', ')})`);
    } else if (rules[entry.key] === 'not-supported-yet') {
      log.error(entry.at, 'not-supported-yet', `"${entry.key}" of ${where} is not supported yet; remove it`);
    } else {
      fields[entry.key] = entry;
    }
  }
  return fields;
}

export function asMapping(node: YamlNode, what: string, log: DiagnosticLog): YamlMapping | null {
  if (node.kind === 'mapping') return node;
  log.error(node.at, 'wrong-type', `${what} must be a mapping, not ${kindOf(node)}`);
  return null;
}

export function asScalar(node: YamlNode, what: string, log: DiagnosticLog): YamlScalar | null {
  if (node.kind === 'scalar') return node;
  log.error(node.at, 'wrong-type', `${what} must be a single value, not ${kindOf(node)}`);
  return null;
}

/** The text of a scalar as it is written, so that `1.10` and `010` arrive as the author sees them. Null if there is none. */
export function readText(entry: YamlEntry | undefined, what: string, log: DiagnosticLog): string | null {
  const scalar = entry && !isNull(entry.value) ? asScalar(entry.value, what, log) : null;
  return scalar ? scalar.text : null;
}

export function readTextMap(entry: YamlEntry | undefined, what: string, log: DiagnosticLog): TextMap {
  if (!entry || isNull(entry.value)) return {};
  const entries = asMapping(entry.value, what, log)?.entries ?? [];
  return Object.fromEntries(entries.map(({ key, value }) => [key, asScalar(value, `${what}.${key}`, log)?.text ?? '']));
}

/** A single value counts as a list of one. */
export function readScalarList(entry: YamlEntry | undefined, what: string, log: DiagnosticLog): readonly YamlScalar[] {
  if (!entry || isNull(entry.value)) return [];
  const { value } = entry;
  const items = value.kind === 'sequence' ? value.items : [value];
  return items.map((item) => asScalar(item, what, log)).filter((item) => item !== null);
}

/** What a value of a mapping that goes to the runner must look like: anything else would stop the runner. */
export type Shape = 'text' | 'value' | 'text-map' | 'text-list';

/** A mapping that goes to the runner as it is: known keys only, each of its shape. Keys with nothing behind them are left out. */
export function readShaped(mapping: YamlMapping, shapes: Readonly<Record<string, Shape>>, where: string, log: DiagnosticLog): JsonObject {
  const rules = Object.fromEntries(Object.keys(shapes).map((key) => [key, 'read' as const]));
  const fields: readonly (YamlEntry | undefined)[] = Object.values(readFields(mapping, rules, where, log));
  const entries = fields.filter((entry) => entry !== undefined).filter((entry) => !isNull(entry.value));
  return Object.fromEntries(entries.map((entry) => [entry.key, readShape(entry, shapes[entry.key] ?? 'value', `${where}.${entry.key}`, log)]));
}

function readShape(entry: YamlEntry, shape: Shape, what: string, log: DiagnosticLog): Json {
  if (shape === 'text-map') return readTextMap(entry, what, log);
  if (shape === 'text-list') return readScalarList(entry, what, log).map((item) => item.text);
  const scalar = asScalar(entry.value, what, log);
  if (!scalar) return '';
  return shape === 'text' ? scalar.text : toJson(scalar);
}

function isKeyOf<K extends string>(rules: Readonly<Record<K, KeyRule>>, key: string): key is K {
  return Object.hasOwn(rules, key);
}
