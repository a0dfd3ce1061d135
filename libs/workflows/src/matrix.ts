import { isJsonObject, type Json, type JsonObject } from './json';
import { displayText } from './template';
import type { Matrix } from './workflow';

/** How many combinations the lists make before any is excluded or included; without a matrix, the single job. */
export function countProduct(matrix: Matrix | null): number {
  if (!matrix) return 1;
  return matrix.axes.length === 0 ? 0 : matrix.axes.reduce((product, axis) => product * axis.values.length, 1);
}

/**
 * The combinations in order: the product of the lists, the last turning fastest; without what an `exclude` agrees with; each
 * `include` merged into those where it changes no value of a list, and behind them those that fit nowhere (GitHub's rules).
 * Without a matrix, one empty combination. Count before: the product can be huge.
 */
export function expandMatrix(matrix: Matrix | null): readonly JsonObject[] {
  if (!matrix) return [{}];
  const { axes, include, exclude } = matrix;
  const [isAgreed, isSame] = [rememberingPairs(agrees), rememberingPairs(isEqual)];
  const originals = productOf(matrix).filter((row) => !exclude.some((rule) => Object.entries(rule).every(([name, value]) => isAgreed(row[name], value))));
  const merged = originals.map((row) => include.filter((extra) => fits(row, extra)).reduce((sum, extra) => ({ ...sum, ...extra }), row));
  return [...merged, ...include.filter((extra) => !originals.some((row) => fits(row, extra)))];

  function fits(row: JsonObject, extra: JsonObject): boolean {
    return axes.every(({ name }) => !Object.hasOwn(extra, name) || isSame(row[name], extra[name]));
  }
}

/** What distinguishes a combination, as it stands behind a job's name: `linux, 20`. Null and empty values say nothing. */
export function describeCombination(row: JsonObject): string {
  return leaves(row)
    .filter((text) => text !== '')
    .join(', ');
}

function productOf({ axes }: Matrix): readonly JsonObject[] {
  if (axes.length === 0) return [];
  return axes.reduce<readonly JsonObject[]>((rows, axis) => rows.flatMap((row) => axis.values.map((value) => ({ ...row, [axis.name]: value }))), [{}]);
}

/** A value of a list stands in many combinations: it is compared with each rule once, however large both are. */
function rememberingPairs(compare: (value: Json | undefined, rule: Json | undefined) => boolean): typeof compare {
  const known = new Map<Json, Map<Json, boolean>>();
  return (value, rule) => {
    if (typeof value !== 'object' || typeof rule !== 'object') return compare(value, rule);
    const answers = known.get(value) ?? new Map<Json, boolean>();
    known.set(value, answers);
    const answer = answers.get(rule) ?? compare(value, rule);
    answers.set(rule, answer);
    return answer;
  };
}

/** Whether a value has all that the rule names; of mappings, also those within, the rest does not matter. */
function agrees(value: Json | undefined, rule: Json | undefined): boolean {
  if (!isJsonObject(rule)) return isEqual(value, rule);
  return isJsonObject(value) && Object.entries(rule).every(([key, inner]) => Object.hasOwn(value, key) && agrees(value[key], inner));
}

function isEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item: Json, index) => isEqual(item, b[index] as Json));
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  return Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, value]) => Object.hasOwn(b, key) && isEqual(value, b[key]));
}

function leaves(value: Json): readonly string[] {
  if (value === null || typeof value !== 'object') return [displayText(value)];
  return Object.values(value).flatMap(leaves);
}
