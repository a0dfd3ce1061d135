import * as yaml from 'js-yaml';
import { raise } from '@triphammer/foundation';
import { isJsonObject, type Json, type JsonObject } from './json';
import type { Job, Workflow } from './workflow';

export interface PayloadParts {
  readonly name: string;
  readonly matrix: JsonObject | null;
  readonly runsOn: readonly string[];
  readonly timeoutMinutes: number | null;
  readonly eventName: string;
}

/**
 * The workflow of exactly one job in one combination, with known keys only: a runner fails a payload that holds others.
 * `needs` and `if` are decided by the server, so the job is told to run whatever its needs came to.
 */
export function buildPayload(workflow: Workflow, job: Job, { name, matrix, runsOn, timeoutMinutes, eventName }: PayloadParts): JsonObject {
  return withoutEmpty({
    name: workflow.name,
    'run-name': workflow.runName,
    on: eventName,
    env: workflow.env,
    defaults: workflow.defaults,
    permissions: workflow.permissions,
    jobs: {
      [job.id]: withoutEmpty({
        name,
        needs: job.needs,
        if: 'always()',
        'runs-on': runsOn.length > 0 ? runsOn : null,
        strategy: withoutEmpty({
          matrix: matrix && Object.fromEntries(Object.entries(matrix).map(([axis, value]) => [axis, [value]])),
          'fail-fast': job.strategy.failFast,
          'max-parallel': job.strategy.maxParallel,
        }),
        'timeout-minutes': timeoutMinutes,
        permissions: job.permissions,
        env: job.env,
        defaults: job.defaults,
        container: job.container,
        services: job.services,
        outputs: job.outputs,
        steps: job.steps,
      }),
    },
  });
}

/**
 * The YAML that a runner gets, from a planned job's payload and the labels in the spelling of the claiming runner; a job that
 * any runner may take gets that runner's first label, since some runners refuse a job without one.
 */
export function renderPayload(payload: string, runsOn: readonly string[]): string {
  if (runsOn.length === 0) raise('a payload is rendered with at least one label');
  const document = JSON.parse(payload) as JsonObject;
  const [[id, job] = raise('a payload holds one job')] = isJsonObject(document['jobs']) ? Object.entries(document['jobs']) : [];
  const delivered = { ...document, jobs: { [id]: { ...(job as JsonObject), 'runs-on': runsOn } } };
  return yaml.dump(delivered, { noRefs: true, lineWidth: -1, scalarStyleRules: [...Object.values(yaml.DEFAULT_SCALAR_STYLE_RULES), quoteNumberLike] });
}

/** Go's YAML takes more texts for numbers than any version of the standard: `0O7`, `-_1`, `1__0e3`. Whatever begins like one is quoted. */
function quoteNumberLike(layout: yaml.ScalarLayout): void {
  const isText = layout.node.tag === 'tag:yaml.org,2002:str';
  if (isText && layout.style === yaml.SCALAR_STYLE.PLAIN && /^[-+._]*\d/.test(layout.node.value)) layout.style = yaml.SCALAR_STYLE.SINGLE_QUOTED;
}

function withoutEmpty(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
