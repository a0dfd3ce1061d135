import type { Json, JsonObject } from './json';
import { displayText } from './template';
import type { MatrixAxis } from './workflow';

/** How many jobs a matrix makes; without one, a single job. */
export function countCombinations(axes: readonly MatrixAxis[]): number {
  return axes.reduce((product, axis) => product * axis.values.length, 1);
}

/** The cartesian product in declared order, the last list turning fastest. Count before: the product can be huge. */
export function expandMatrix(axes: readonly MatrixAxis[]): readonly JsonObject[] {
  return axes.reduce<readonly JsonObject[]>((rows, axis) => rows.flatMap((row) => axis.values.map((value) => ({ ...row, [axis.name]: value }))), [{}]);
}

/** What distinguishes a combination, as it stands behind a job's name: `linux, 20`. Null and empty values say nothing. */
export function describeCombination(axes: readonly MatrixAxis[], row: JsonObject): string {
  return axes
    .flatMap((axis) => leaves(row[axis.name] ?? null))
    .filter((text) => text !== '')
    .join(', ');
}

function leaves(value: Json): readonly string[] {
  if (value === null || typeof value !== 'object') return [displayText(value)];
  return Object.values(value).flatMap(leaves);
}
