import { type DiagnosticLog, quote } from './diagnostic';
import { asMapping, readShaped, type Shape } from './fields';
import type { JsonObject } from './json';
import { isNull, kindOf, type YamlEntry, type YamlMapping, type YamlNode } from './yaml-node';

const ANY_STEP = {
  id: 'text',
  name: 'text',
  if: 'value',
  env: 'text-map',
  'continue-on-error': 'value',
  'timeout-minutes': 'value',
} as const satisfies Record<string, Shape>;
const RUN_STEP = { ...ANY_STEP, run: 'text', shell: 'text', 'working-directory': 'text' } as const satisfies Record<string, Shape>;
const USES_STEP = { ...ANY_STEP, uses: 'text', with: 'text-map' } as const satisfies Record<string, Shape>;
const STEP_ID = /^[A-Za-z_][\w-]*$/;

/** The steps of a job as the runner gets them. A job without one would be failed by the runner without a word, so it is refused here. */
export function readSteps(entry: YamlEntry | undefined, job: YamlEntry, log: DiagnosticLog): readonly JsonObject[] {
  const where = `the job ${quote(job.key)}`;
  if (!entry || isNull(entry.value) || (entry.value.kind === 'sequence' && entry.value.items.length === 0)) {
    log.error(entry?.at ?? job.at, 'missing-key', `${where} has no steps; give it at least one with "run" or "uses"`);
    return [];
  }
  if (entry.value.kind !== 'sequence') {
    log.error(entry.value.at, 'wrong-type', `"steps" of ${where} must be a list, not ${kindOf(entry.value)}`);
    return [];
  }
  const ids = new Set<string>();
  return entry.value.items.map((item, index) => readStep(item, `step ${index + 1} of ${where}`, ids, log)).filter((step) => step !== null);
}

function readStep(node: YamlNode, where: string, ids: Set<string>, log: DiagnosticLog): JsonObject | null {
  const mapping = asMapping(node, where, log);
  if (!mapping) return null;
  const runs = hasValue(mapping, 'run');
  const uses = hasValue(mapping, 'uses');
  if (runs === uses) {
    log.error(
      mapping.at,
      'invalid-step',
      runs ? `${where} has both "run" and "uses"; make two steps of it` : `${where} has neither "run" nor "uses"; give it one`,
    );
    return null;
  }
  checkId(mapping, where, ids, log);
  return readShaped(mapping, runs ? RUN_STEP : USES_STEP, where, log);
}

function checkId(mapping: YamlMapping, where: string, ids: Set<string>, log: DiagnosticLog): void {
  const value = mapping.entries.find((entry) => entry.key === 'id')?.value;
  if (value?.kind !== 'scalar' || value.value === null) return;
  if (!STEP_ID.test(value.text)) {
    log.error(value.at, 'invalid-step', `${where} has the id ${quote(value.text)}; use letters, digits, "_" and "-", beginning with a letter or "_"`);
  } else if (ids.has(value.text.toLowerCase())) {
    log.error(value.at, 'invalid-step', `${where} has the id ${quote(value.text)}, as an earlier step has; ids are compared without case`);
  }
  ids.add(value.text.toLowerCase());
}

function hasValue(mapping: YamlMapping, key: string): boolean {
  return mapping.entries.some((entry) => entry.key === key && !isNull(entry.value));
}
