import { type DiagnosticLog, quote } from './diagnostic';
import { asMapping, asScalar, type KeyRule, readFields } from './fields';
import type { JsonObject } from './json';
import { hasExpression } from './template';
import type { Matrix, MatrixAxis, Strategy } from './workflow';
import { isNull, kindOf, toJson, type YamlEntry, type YamlMapping, type YamlNode } from './yaml-node';

/** Each is compared with every combination; a run has no more jobs than this. */
const MAX_RULES = 256;
const NO_STRATEGY: Strategy = { matrix: null, failFast: null, maxParallel: null };
const STRATEGY_KEYS = { matrix: 'read', 'fail-fast': 'read', 'max-parallel': 'read' } as const satisfies Record<string, KeyRule>;
const AXIS_NAME = /^[A-Za-z_][\w-]*$/;
const NAME_RULE = 'use letters, digits, "_" and "-", beginning with a letter or "_"';

/** `strategy` with a matrix of literal values; null for "absent or not usable", in which case the log knows. */
export function readStrategy(entry: YamlEntry | undefined, where: string, log: DiagnosticLog): Strategy {
  if (!entry || isNull(entry.value)) return NO_STRATEGY;
  if (isExpression(entry.value)) {
    log.error(entry.value.at, 'not-supported-yet', `"strategy" of ${where} as an expression is not supported yet; write it out`);
    return NO_STRATEGY;
  }
  const mapping = asMapping(entry.value, `"strategy" of ${where}`, log);
  if (!mapping) return NO_STRATEGY;
  const fields = readFields(mapping, STRATEGY_KEYS, `"strategy" of ${where}`, log);
  return {
    matrix: readMatrix(fields.matrix, where, log),
    failFast: readFailFast(fields['fail-fast'], log),
    maxParallel: readMaxParallel(fields['max-parallel'], log),
  };
}

function readMatrix(entry: YamlEntry | undefined, where: string, log: DiagnosticLog): Matrix | null {
  if (!entry || isNull(entry.value)) return null;
  if (isExpression(entry.value)) {
    log.error(entry.value.at, 'not-supported-yet', `"matrix" of ${where} as an expression is not supported yet; write its lists out`);
    return null;
  }
  const mapping: YamlMapping | null = asMapping(entry.value, `"matrix" of ${where}`, log);
  if (!mapping) return null;
  const rule = (name: MatrixRule) => mapping.entries.find(({ key }) => key === name);
  const lists = mapping.entries.filter(({ key }) => key !== 'include' && key !== 'exclude');
  const axes = lists.map((axis) => readAxis(axis, log)).filter((axis) => axis !== null);
  const include = readRules(rule('include'), axes, log);
  const exclude = readRules(rule('exclude'), axes, log);
  return lists.length === 0 && include.length === 0 ? null : { axes, include, exclude };
}

type MatrixRule = 'include' | 'exclude';

/** The mappings of `include` or `exclude`, whose names meet those of the lists without regard to case. */
function readRules(entry: YamlEntry | undefined, axes: readonly MatrixAxis[], log: DiagnosticLog): readonly JsonObject[] {
  if (!entry || isNull(entry.value)) return [];
  const { key, value } = entry;
  if (hasExpressionInside(value)) {
    log.error(value.at, 'not-supported-yet', `expressions in "${key}" of a matrix are not supported yet; write the values out`);
  } else if (value.kind !== 'sequence') {
    log.error(value.at, 'wrong-type', `"${key}" of a matrix must be a list of mappings, not ${kindOf(value)}`);
  } else if (value.items.length > MAX_RULES) {
    log.error(value.at, 'wrong-value', `"${key}" of a matrix can have at most ${MAX_RULES} entries`);
  } else {
    return value.items.map((item) => readRule(item, key, axes, log)).filter((rule) => rule !== null);
  }
  return [];
}

function readRule(item: YamlNode, kind: string, axes: readonly MatrixAxis[], log: DiagnosticLog): JsonObject | null {
  const mapping = asMapping(item, `each entry in "${kind}" of a matrix`, log);
  if (!mapping) return null;
  const entries = mapping.entries.map(({ key, at, value }) => {
    const axis = axes.find(({ name }) => name.toLowerCase() === key.toLowerCase());
    if (!axis && kind === 'exclude') {
      log.error(at, 'unknown-matrix-property', `the matrix has no list ${quote(key)}, so nothing can be excluded by it`);
    } else if (!axis && !AXIS_NAME.test(key)) {
      log.error(at, 'wrong-value', `${quote(key)} cannot name a value of the matrix; ${NAME_RULE}`);
    }
    return [axis?.name ?? key, toJson(value)];
  });
  return Object.fromEntries(entries) as JsonObject;
}

function readAxis({ key, at, value }: YamlEntry, log: DiagnosticLog): MatrixAxis | null {
  if (!AXIS_NAME.test(key)) {
    log.error(at, 'wrong-value', `${quote(key)} cannot name a list of the matrix; ${NAME_RULE}`);
  } else if (hasExpressionInside(value)) {
    log.error(value.at, 'not-supported-yet', `expressions in the matrix (${quote(key)}) are not supported yet; write the values out`);
  } else if (value.kind !== 'sequence') {
    log.error(value.at, 'wrong-type', `${quote(key)} of the matrix must be a list, not ${kindOf(value)}`);
  } else if (value.items.length === 0) {
    log.error(value.at, 'not-supported-yet', `the list ${quote(key)} of the matrix is empty; a job without combinations is not supported yet`);
  } else {
    return { name: key, values: value.items.map(toJson) };
  }
  return null;
}

function readFailFast(entry: YamlEntry | undefined, log: DiagnosticLog): boolean | null {
  if (!entry || isNull(entry.value)) return null;
  const scalar = asScalar(entry.value, '"fail-fast"', log);
  if (typeof scalar?.value === 'boolean') {
    if (scalar.value) log.warning(scalar.at, 'not-honoured-yet', 'fail-fast is not honoured yet: the other combinations go on when one fails');
    return scalar.value;
  }
  if (scalar) refuseLiteral(entry, 'true or false', log);
  return null;
}

function readMaxParallel(entry: YamlEntry | undefined, log: DiagnosticLog): number | null {
  if (!entry || isNull(entry.value)) return null;
  const scalar = asScalar(entry.value, '"max-parallel"', log);
  if (typeof scalar?.value === 'number' && Number.isInteger(scalar.value) && scalar.value > 0) {
    log.warning(scalar.at, 'not-honoured-yet', 'max-parallel is not honoured yet: all combinations may run at once');
    return scalar.value;
  }
  if (scalar) refuseLiteral(entry, 'a whole number above 0', log);
  return null;
}

function refuseLiteral({ key, value }: YamlEntry, expected: string, log: DiagnosticLog): void {
  if (isExpression(value)) log.warning(value.at, 'not-honoured-yet', `"${key}" as an expression is not honoured yet`);
  else log.error(value.at, 'wrong-value', `"${key}" must be ${expected}`);
}

function isExpression(node: YamlNode): boolean {
  return node.kind === 'scalar' && hasExpression(node.text);
}

function hasExpressionInside(node: YamlNode): boolean {
  if (node.kind === 'scalar') return hasExpression(node.text);
  return node.kind === 'sequence' ? node.items.some(hasExpressionInside) : node.entries.some((entry) => hasExpressionInside(entry.value));
}
