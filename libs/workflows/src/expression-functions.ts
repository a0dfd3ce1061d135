import { data, wellKnownFunctions } from '../vendor/actions-expressions.cjs';
import { type ExpressionData, fromJson, toJson } from './expression-data';
import { isJsonObject, type Json } from './json';

/** Of all texts that one evaluation reads and makes, together. Ten nested calls of `format` would otherwise fill the memory. */
const MAX_TEXT = 4 * 1024 * 1024;
/** Of what `fromJSON` reads. */
const MAX_DEPTH = 100;
const INDENT = 2;

type Call = (...args: ExpressionData[]) => ExpressionData;

export interface ExpressionFunction {
  readonly name: string;
  readonly minArgs: number;
  readonly maxArgs: number;
  readonly call: Call;
}

/** Names of the functions that may be called anywhere, in lower case. */
export const FUNCTION_NAMES: ReadonlySet<string> = new Set(Object.keys(wellKnownFunctions));

/**
 * GitHub's functions, for one evaluation: each call is charged what it reads and makes, before it makes it where that can be
 * more than it reads. Throws once the evaluation has had its share.
 */
export function boundedFunctions(): ReadonlyMap<string, ExpressionFunction> {
  let left = MAX_TEXT;
  const charge = (length: number) => {
    left -= length;
    if (left < 0) throw new Error(`it makes more than ${MAX_TEXT / 1024 / 1024} MiB of text`);
  };
  return new Map(
    Object.entries(wellKnownFunctions).map(([name, known]) => {
      const call = OWN[name] ?? known.call;
      const charged: Call = (...args) => {
        for (const arg of args) charge(textLength(arg));
        LENGTH_OF[name]?.(args, charge);
        return call(...args);
      };
      return [name, { ...known, call: charged }];
    }),
  );
}

/** Where the library loses something: keys named `__proto__`, and the reason why a text is no JSON. */
const OWN: Readonly<Record<string, Call>> = {
  tojson: (value) => new data.StringData(JSON.stringify(toJson(value as ExpressionData), null, INDENT)),
  fromjson: (value) => {
    const text = (value as ExpressionData).coerceString();
    if (text.trim() === '') throw new Error('fromJSON was given an empty text');
    const json = parseJson(text);
    if (isDeeperThan(json, MAX_DEPTH)) throw new Error(`fromJSON was given more than ${MAX_DEPTH} levels`);
    return fromJson(json);
  },
};

/** What a call makes, at most, where that can be more than it reads. */
const LENGTH_OF: Readonly<Record<string, (args: readonly ExpressionData[], charge: (length: number) => void) => void>> = {
  format: ([pattern, ...values], charge) => {
    for (const [, index] of pattern?.coerceString().matchAll(/\{(\d+)/g) ?? []) charge(lengthOf(values[Number(index)]));
  },
  join: ([list, separator], charge) => {
    if (!(list instanceof data.Array)) return;
    const between = separator ? lengthOf(separator) : 1;
    for (const item of list.values()) charge(between + lengthOf(item));
  },
  tojson: ([value], charge) => {
    if (value) chargeJson(toJson(value), INDENT, charge);
  },
};

/** The text of a JSON value is walked and charged before it is made: indents alone can be its square. */
function chargeJson(value: Json, indent: number, charge: (length: number) => void): void {
  if (typeof value === 'string') return charge(JSON.stringify(value).length);
  if (value === null || typeof value !== 'object') return charge(24);
  for (const [key, item] of Object.entries(value)) {
    charge(indent + (isJsonObject(value) ? JSON.stringify(key).length + 4 : 2));
    chargeJson(item, indent + INDENT, charge);
  }
  charge(indent + 2);
}

function textLength(value: ExpressionData): number {
  return value instanceof data.StringData ? value.value.length : 0;
}

function lengthOf(value: ExpressionData | undefined): number {
  return value?.coerceString().length ?? 0;
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new Error('fromJSON was given a text that is no JSON', { cause: error });
  }
}

function isDeeperThan(value: Json, levels: number): boolean {
  if (value === null || typeof value !== 'object') return false;
  return levels === 0 || Object.values(value).some((item: Json) => isDeeperThan(item, levels - 1));
}
