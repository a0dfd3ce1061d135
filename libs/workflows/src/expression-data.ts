import type { data as Data } from '@actions/expressions' with { 'resolution-mode': 'import' };
import { data } from '../vendor/actions-expressions.cjs';
import { isJsonObject, type Json, type JsonObject } from './json';

export type ExpressionData = Data.ExpressionData;

/**
 * A JSON object as expressions see it: names without regard to case, the first of equal ones wins, and nothing is there that
 * the object does not own itself. A property is converted when it is first read, so that a large event costs what is used of it.
 */
export class ObjectData extends data.Dictionary {
  private readonly names: ReadonlyMap<string, string>;
  private readonly converted = new Map<string, ExpressionData>();

  constructor(readonly source: JsonObject) {
    super();
    this.names = new Map(
      Object.keys(source)
        .reverse()
        .map((name) => [name.toLowerCase(), name]),
    );
  }

  override get(key: string): ExpressionData | undefined {
    const name = this.names.get(key.toLowerCase());
    if (name === undefined) return undefined;
    const known = this.converted.get(name);
    if (known) return known;
    const value = fromJson(this.source[name] ?? null);
    this.converted.set(name, value);
    return value;
  }

  override values(): ExpressionData[] {
    return this.pairs().map(({ value }) => value);
  }

  override pairs(): { key: string; value: ExpressionData }[] {
    const own = Object.keys(this.source).filter((name) => this.names.get(name.toLowerCase()) === name);
    return own.map((key) => ({ key, value: this.get(key) ?? new data.Null() }));
  }
}

export function fromJson(value: Json): ExpressionData {
  if (value === null) return new data.Null();
  if (typeof value === 'string') return new data.StringData(value);
  if (typeof value === 'number') return new data.NumberData(value);
  if (typeof value === 'boolean') return new data.BooleanData(value);
  if (isJsonObject(value)) return new ObjectData(value);
  const list = new data.Array();
  for (const item of value) list.add(fromJson(item));
  return list;
}

export function toJson(value: ExpressionData): Json {
  if (value instanceof ObjectData) return value.source;
  if (value instanceof data.Array) return value.values().map(toJson);
  if (value instanceof data.StringData) return value.value;
  if (value instanceof data.NumberData) return value.value;
  if (value instanceof data.BooleanData) return value.value;
  return null;
}
