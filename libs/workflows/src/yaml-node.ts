import type { Position } from './diagnostic';
import type { Json } from './json';

export type YamlNode = YamlScalar | YamlSequence | YamlMapping;

export interface YamlScalar {
  readonly kind: 'scalar';
  readonly at: Position;
  /** By YAML 1.2's core schema: `yes`, `on` and dates are text, `010` is ten. */
  readonly value: string | number | boolean | null;
  /** As written: `010`, `1.10`, `True`. Empty for null. */
  readonly text: string;
}

export interface YamlSequence {
  readonly kind: 'sequence';
  readonly at: Position;
  readonly items: readonly YamlNode[];
}

export interface YamlMapping {
  readonly kind: 'mapping';
  readonly at: Position;
  readonly entries: readonly YamlEntry[];
}

export interface YamlEntry {
  readonly key: string;
  readonly at: Position;
  readonly value: YamlNode;
}

/** The plain value. A number that a double cannot hold exactly stays text, as written. */
export function toJson(node: YamlNode): Json {
  if (node.kind === 'sequence') return node.items.map(toJson);
  if (node.kind === 'mapping') return Object.fromEntries(node.entries.map((entry) => [entry.key, toJson(entry.value)]));
  const { value, text } = node;
  if (typeof value === 'number' && (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER)) return text;
  return value;
}

export function isNull(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** How a message calls what stands there. */
export function kindOf(node: YamlNode): string {
  if (node.kind !== 'scalar') return node.kind === 'mapping' ? 'a mapping' : 'a list';
  return node.value === null ? 'nothing' : `a ${typeof node.value === 'string' ? 'text' : typeof node.value}`;
}
