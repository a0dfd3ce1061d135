import { type Diagnostic, DiagnosticLog } from './diagnostic';
import { asMapping, type KeyRule, readFields, readText, readTextMap } from './fields';
import { readDefaults, readPermissions } from './read-job';
import { readJobs } from './read-jobs';
import { readTriggers } from './read-triggers';
import { hasExpression } from './template';
import type { Triggers, Workflow } from './workflow';
import { parseYaml } from './yaml-document';
import type { YamlEntry, YamlMapping } from './yaml-node';

export interface ReadWorkflow {
  /** Present if no diagnostic is an error. */
  readonly workflow?: Workflow;
  /**
   * Present whenever `on:` itself is sound, even if the rest is not: an event that the file does not wait for, or filters out,
   * need not be answered with its mistakes.
   */
  readonly on?: Triggers;
  readonly diagnostics: readonly Diagnostic[];
}

const WORKFLOW_KEYS = {
  name: 'read',
  'run-name': 'read',
  on: 'read',
  env: 'read',
  defaults: 'read',
  permissions: 'read',
  jobs: 'read',
  concurrency: 'not-supported-yet',
} as const satisfies Record<string, KeyRule>;

/** Reads a workflow file: never throws, and tells everything that is wrong with it at once. */
export function readWorkflow(text: string, { path }: { readonly path: string }): ReadWorkflow {
  const log = new DiagnosticLog();
  const document = parseYaml(text, log);
  const mapping = document && asMapping(document, 'a workflow', log);
  if (!mapping) return { diagnostics: log.all() };
  const { workflow, on } = readMapping(mapping, path, log);
  return { ...(workflow && !log.hasErrors && { workflow }), ...(on && { on }), diagnostics: log.all() };
}

function readMapping(mapping: YamlMapping, path: string, log: DiagnosticLog): { readonly workflow: Workflow | null; readonly on: Triggers | null } {
  const where = 'the workflow';
  const fields = readFields(mapping, WORKFLOW_KEYS, where, log);
  for (const key of ['on', 'jobs'] as const) {
    if (!fields[key]) log.error(mapping.at, 'missing-key', `the workflow has no "${key}"`);
  }
  const on = fields.on ? readSoundTriggers(fields.on, log) : null;
  const jobs = fields.jobs ? readJobs(fields.jobs.value, log) : [];
  const rest = {
    path,
    name: readText(fields.name, '"name"', log),
    runName: readRunName(fields['run-name'], log),
    env: readTextMap(fields.env, '"env" of the workflow', log),
    defaults: readDefaults(fields.defaults, where, log),
    permissions: readPermissions(fields.permissions, where, log),
    jobs,
  };
  return { workflow: on && { ...rest, on }, on };
}

/** A pattern that does not compile makes the triggers unusable: leaving it out would let other events through. */
function readSoundTriggers(entry: YamlEntry, log: DiagnosticLog): Triggers | null {
  const own = new DiagnosticLog();
  const triggers = readTriggers(entry.value, own);
  log.addAll(own);
  return own.hasErrors ? null : triggers;
}

function readRunName(entry: YamlEntry | undefined, log: DiagnosticLog): string | null {
  const text = readText(entry, '"run-name"', log);
  if (!entry || text === null || !hasExpression(text)) return text;
  log.warning(entry.value.at, 'not-honoured-yet', 'a "run-name" with expressions is not honoured yet: runs are titled by their commit');
  return null;
}
