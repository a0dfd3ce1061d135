import { parseCondition } from './condition';
import { type DiagnosticLog, quote } from './diagnostic';
import { asMapping, asScalar, type KeyRule, readFields, readScalarList, readShaped, readText, readTextMap, type Shape } from './fields';
import type { Json, JsonObject } from './json';
import { readContainer, readServices } from './read-containers';
import { readSteps } from './read-steps';
import { readStrategy } from './read-strategy';
import { hasExpression, parseTemplate, type Place, type Template } from './template';
import type { Job, Matrix } from './workflow';
import { isNull, toJson, type YamlEntry, type YamlScalar } from './yaml-node';

const JOB_KEYS = {
  name: 'read',
  needs: 'read',
  'runs-on': 'read',
  strategy: 'read',
  'timeout-minutes': 'read',
  'continue-on-error': 'read',
  env: 'read',
  outputs: 'read',
  defaults: 'read',
  permissions: 'read',
  container: 'read',
  services: 'read',
  steps: 'read',
  if: 'read',
  uses: 'not-supported-yet',
  with: 'not-supported-yet',
  secrets: 'not-supported-yet',
  concurrency: 'not-supported-yet',
  environment: 'not-supported-yet',
} as const satisfies Record<string, KeyRule>;
const RUNS_ON_KEYS = { labels: 'read', group: 'not-supported-yet' } as const satisfies Record<string, KeyRule>;
const RUN_DEFAULTS = { shell: 'text', 'working-directory': 'text' } as const satisfies Record<string, Shape>;
/** What a name and labels can read before any job has run. */
const PLANNED: Place = { contexts: new Set(['matrix']), functions: new Set() };
const MAX_TIMEOUT_MINUTES = 366 * 24 * 60;
export const MINUTES_RULE = `number above 0 and at most ${MAX_TIMEOUT_MINUTES}`;

/** The minutes that a text of digits stands for; null for any other, or for too many. */
export function minutesOf(text: string): number | null {
  const minutes = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  return minutes > 0 && minutes <= MAX_TIMEOUT_MINUTES ? minutes : null;
}

/** Reads one job. What cannot be used is said in the log and left out, so that the rest is still checked. */
export function readJob(entry: YamlEntry, jobIds: ReadonlySet<string>, log: DiagnosticLog): Job | null {
  const where = `the job ${quote(entry.key)}`;
  const mapping = asMapping(entry.value, where, log);
  if (!mapping) return null;
  const fields = readFields(mapping, JOB_KEYS, where, log);
  if (mapping.entries.some(({ key }) => key === 'uses')) return null;

  const strategy = readStrategy(fields.strategy, where, log);
  return {
    id: entry.key,
    at: entry.at,
    name: readName(fields.name, strategy.matrix, log),
    condition: readCondition(fields.if, where, log),
    needs: readNeeds(fields.needs, where, jobIds, log),
    runsOn: readRunsOn(fields['runs-on'], entry, strategy.matrix, log),
    runsOnAt: fields['runs-on']?.at ?? entry.at,
    strategy,
    timeoutMinutes: readTimeout(fields['timeout-minutes'], strategy.matrix, log),
    timeoutAt: fields['timeout-minutes']?.value.at ?? entry.at,
    continueOnError: readContinueOnError(fields['continue-on-error'], strategy.matrix, log),
    continueOnErrorAt: fields['continue-on-error']?.value.at ?? entry.at,
    env: readTextMap(fields.env, `"env" of ${where}`, log),
    outputs: readTextMap(fields.outputs, `"outputs" of ${where}`, log),
    defaults: readDefaults(fields.defaults, where, log),
    permissions: readPermissions(fields.permissions, where, log),
    container: readContainer(fields.container, where, log),
    services: readServices(fields.services, where, log),
    steps: readSteps(fields.steps, entry, log),
  };
}

/** As written. One that cannot be read fails its job when it is decided, and no other; here the author is warned. */
function readCondition(entry: YamlEntry | undefined, where: string, log: DiagnosticLog): string | null {
  const text = readText(entry, `"if" of ${where}`, log);
  if (!entry || text === null || text.trim() === '') return null;
  const parsed = parseCondition(text);
  if (!parsed.ok) log.warning(entry.value.at, parsed.code, `the job will fail: ${parsed.problem}`);
  return text;
}

function readNeeds(entry: YamlEntry | undefined, where: string, jobIds: ReadonlySet<string>, log: DiagnosticLog): readonly string[] {
  const needs = readScalarList(entry, `"needs" of ${where}`, log);
  for (const { text, at } of needs) {
    if (!jobIds.has(text)) log.error(at, 'unknown-need', `${where} needs ${quote(text)}, and there is no such job`);
  }
  return [...new Set(needs.map((need) => need.text))];
}

/** `defaults` of a workflow or job; runners know nothing but `run`. */
export function readDefaults(entry: YamlEntry | undefined, where: string, log: DiagnosticLog): JsonObject | null {
  if (!entry || isNull(entry.value)) return null;
  const mapping = asMapping(entry.value, `"defaults" of ${where}`, log);
  const run = mapping && readFields(mapping, { run: 'read' }, `"defaults" of ${where}`, log).run;
  if (!run || isNull(run.value)) return null;
  const values = asMapping(run.value, `"defaults.run" of ${where}`, log);
  return values && { run: readShaped(values, RUN_DEFAULTS, `"defaults.run" of ${where}`, log) };
}

/** Kept as written (`read-all`, or scope → access): the server interprets it, the runner only carries it. */
export function readPermissions(entry: YamlEntry | undefined, where: string, log: DiagnosticLog): Json {
  if (!entry || isNull(entry.value)) return null;
  return entry.value.kind === 'scalar' ? toJson(entry.value) : readTextMap(entry, `"permissions" of ${where}`, log);
}

function readName(entry: YamlEntry | undefined, matrix: Matrix | null, log: DiagnosticLog): Template | null {
  const scalar = entry && !isNull(entry.value) ? asScalar(entry.value, 'the name of a job', log) : null;
  return scalar ? readTemplate(scalar, matrix, log) : null;
}

function readRunsOn(entry: YamlEntry | undefined, job: YamlEntry, matrix: Matrix | null, log: DiagnosticLog): readonly Template[] {
  if (!entry || isNull(entry.value)) {
    log.warning(job.at, 'missing-runs-on', `the job ${quote(job.key)} has no "runs-on": any runner may take it`);
    return [];
  }
  const labels = entry.value.kind === 'mapping' ? readFields(entry.value, RUNS_ON_KEYS, '"runs-on"', log).labels : entry;
  const scalars = readScalarList(labels, 'each label in "runs-on"', log);
  if (scalars.length === 0 || scalars.some((scalar) => scalar.text.trim() === '')) {
    log.error(
      entry.value.at,
      'wrong-value',
      '"runs-on" holds no label or an empty one, which no runner has; name a label, or remove the key to let any runner take the job',
    );
  }
  return scalars.map((scalar) => readTemplate(scalar, matrix, log)).filter((template) => template !== null);
}

function readTemplate({ text, at }: YamlScalar, matrix: Matrix | null, log: DiagnosticLog): Template | null {
  const parsed = parseTemplate(text, PLANNED);
  if (!parsed.ok) {
    log.error(at, parsed.code, parsed.problem);
    return null;
  }
  const missing = plainProperties(parsed.template).find((name) => !namesOf(matrix).has(name.toLowerCase()));
  if (missing !== undefined) {
    log.error(at, 'unknown-matrix-property', `the matrix of this job has no ${quote(missing)} that ${quote(text)} could read`);
  }
  return parsed.template;
}

/** What a combination can have: the lists, and what `include` adds to some; in lower case. */
function namesOf(matrix: Matrix | null): ReadonlySet<string> {
  const names = [...(matrix?.axes ?? []).map(({ name }) => name), ...(matrix?.include ?? []).flatMap(Object.keys)];
  return new Set(names.map((name) => name.toLowerCase()));
}

/** Names such as `os` that are read as `matrix.os` and nothing else; one inside a larger expression may well be missing. */
function plainProperties(template: Template): readonly string[] {
  return template.flatMap((part) => (typeof part === 'string' ? [] : (part.property?.slice(1, 2) ?? [])));
}

function readTimeout(entry: YamlEntry | undefined, matrix: Matrix | null, log: DiagnosticLog): number | Template | null {
  const scalar = entry && !isNull(entry.value) ? asScalar(entry.value, '"timeout-minutes"', log) : null;
  if (!scalar) return null;
  if (hasExpression(scalar.text)) return readTemplate(scalar, matrix, log);
  const minutes = minutesOf(scalar.text);
  if (minutes === null) log.error(scalar.at, 'wrong-value', `"timeout-minutes" must be a ${MINUTES_RULE}, not ${quote(scalar.text)}`);
  return minutes;
}

function readContinueOnError(entry: YamlEntry | undefined, matrix: Matrix | null, log: DiagnosticLog): boolean | Template {
  const scalar = entry && !isNull(entry.value) ? asScalar(entry.value, '"continue-on-error"', log) : null;
  if (!scalar) return false;
  if (hasExpression(scalar.text)) return readTemplate(scalar, matrix, log) ?? false;
  if (typeof scalar.value === 'boolean') return scalar.value;
  log.error(scalar.at, 'wrong-value', `"continue-on-error" of a job must be true or false, not ${quote(scalar.text)}`);
  return false;
}
