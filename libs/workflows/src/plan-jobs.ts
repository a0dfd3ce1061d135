import { raise } from '@triphammer/foundation';
import { type Diagnostic, DiagnosticLog, type Position, quote } from './diagnostic';
import type { Json, JsonObject } from './json';
import { countProduct, describeCombination, expandMatrix } from './matrix';
import { buildPayload } from './payload';
import { MINUTES_RULE, minutesOf } from './read-job';
import { MAX_JOBS } from './read-jobs';
import { displayText, evaluateTemplate, type Template } from './template';
import type { Job, Workflow } from './workflow';

/** One job of a run: what is stored, scheduled and finally handed to a runner. */
export interface PlannedJob {
  readonly jobId: string;
  /** Shown to people and part of the commit status. */
  readonly name: string;
  /** This combination's values; null without a matrix. */
  readonly matrix: JsonObject | null;
  readonly matrixIndex: number;
  readonly matrixTotal: number;
  readonly needs: readonly string[];
  /** `if` as written, to be evaluated once the needed jobs have ended; null: `success()`. */
  readonly condition: string | null;
  /** Labels a runner must have; empty: any runner. */
  readonly runsOn: readonly string[];
  readonly continueOnError: boolean;
  readonly timeoutMinutes: number | null;
  /** JSON text for `renderPayload`; its key order matters, so keep it as text. */
  readonly payload: string;
}

export interface JobPlan {
  /** Empty if a diagnostic is an error. */
  readonly jobs: readonly PlannedJob[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Of combinations before any is excluded, in all jobs together. */
const MAX_PRODUCT = 10_000;
const MAX_NAME_LENGTH = 255;
const MAX_LABEL_LENGTH = 255;
/** Every job carries its own payload, so a large file with a large matrix multiplies. */
const MAX_RUN_PAYLOAD_LENGTH = 32 * 1024 * 1024;

/** The jobs of a run in the order of the file, combinations in the order of their lists. The same input gives the same bytes. */
export function planJobs(workflow: Workflow, { eventName }: { readonly eventName: string }): JobPlan {
  const log = new DiagnosticLog();
  const products = workflow.jobs.map((job) => countProduct(job.strategy.matrix));
  if (sumOf(products) > MAX_PRODUCT) return tooManyJobs(workflow, products, log);
  const combinations = workflow.jobs.map((job) => expandMatrix(job.strategy.matrix));
  const counts = combinations.map((rows) => rows.length);
  if (sumOf(counts) > MAX_JOBS) return tooManyJobs(workflow, counts, log);

  const jobs: PlannedJob[] = [];
  let length = 0;
  for (const [index, job] of workflow.jobs.entries()) {
    for (const planned of planJob(workflow, job, combinations[index] ?? [], eventName, log)) {
      jobs.push(planned);
      length += planned.payload.length;
      if (length <= MAX_RUN_PAYLOAD_LENGTH) continue;
      log.error(job.at, 'run-too-large', 'the jobs of this run take more than 32 MiB; use fewer combinations or shorter steps');
      return { jobs: [], diagnostics: log.all() };
    }
  }
  return { jobs: log.hasErrors ? [] : jobs, diagnostics: log.all() };
}

function tooManyJobs(workflow: Workflow, counts: readonly number[], log: DiagnosticLog): JobPlan {
  const largest = workflow.jobs[counts.indexOf(Math.max(...counts))] ?? raise('a workflow has jobs');
  log.error(largest.at, 'too-many-jobs', `with all matrix combinations there are ${sumOf(counts)} jobs; a run can have at most ${MAX_JOBS}`);
  return { jobs: [], diagnostics: log.all() };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function* planJob(workflow: Workflow, job: Job, rows: readonly JsonObject[], eventName: string, log: DiagnosticLog): Generator<PlannedJob> {
  if (rows.length === 0) {
    log.error(job.at, 'not-supported-yet', `"exclude" leaves the job ${quote(job.id)} no combination, which is not supported yet; remove the job instead`);
  }
  for (const [matrixIndex, row] of rows.entries()) {
    const matrix = job.strategy.matrix && row;
    const name = nameJob(job, row, log);
    const runsOn = job.runsOn.flatMap((template) =>
      labelsOf(evaluateOrSay(template, `"runs-on" of the job ${quote(job.id)}`, job.runsOnAt, row, log), job, row, log),
    );
    const timeoutMinutes = timeoutOf(job, row, log);
    yield {
      jobId: job.id,
      name,
      matrix,
      matrixIndex,
      matrixTotal: rows.length,
      needs: job.needs,
      condition: job.condition,
      runsOn,
      continueOnError: continuesOnError(job, row, log),
      timeoutMinutes,
      payload: JSON.stringify(buildPayload(workflow, job, { name, matrix, runsOn, timeoutMinutes, eventName })),
    };
  }
}

function timeoutOf(job: Job, row: JsonObject, log: DiagnosticLog): number | null {
  if (job.timeoutMinutes === null || typeof job.timeoutMinutes === 'number') return job.timeoutMinutes;
  const what = `"timeout-minutes" of the job ${quote(job.id)}`;
  const value = evaluateOrSay(job.timeoutMinutes, what, job.timeoutAt, row, log);
  const minutes = minutesOf(displayText(value));
  if (value !== undefined && minutes === null) log.error(job.timeoutAt, 'wrong-value', `${what} must give a ${MINUTES_RULE}, not ${quote(displayText(value))}`);
  return minutes;
}

/** A value that a combination does not have is no reason to tolerate its failure. */
function continuesOnError(job: Job, row: JsonObject, log: DiagnosticLog): boolean {
  if (typeof job.continueOnError === 'boolean') return job.continueOnError;
  const what = `"continue-on-error" of the job ${quote(job.id)}`;
  const value = evaluateOrSay(job.continueOnError, what, job.continueOnErrorAt, row, log);
  if (value !== undefined && value !== null && typeof value !== 'boolean') {
    log.error(job.continueOnErrorAt, 'wrong-value', `${what} must give true or false, not ${quote(displayText(value))}`);
  }
  return value === true;
}

/** A name with an expression in it stands for itself; any other gets the combination behind it. */
function nameJob(job: Job, row: JsonObject, log: DiagnosticLog): string {
  const written = job.name ? displayText(evaluateOrSay(job.name, `the name of the job ${quote(job.id)}`, job.at, row, log)).trim() : '';
  const combination = describeCombination(row);
  const isEvaluated = job.name?.some((part) => typeof part !== 'string') ?? false;
  const name = written === '' ? job.id : written;
  const full = combination === '' || (isEvaluated && written !== '') ? name : `${name} (${combination})`;
  return Array.from(full).slice(0, MAX_NAME_LENGTH).join('');
}

/** The value, or undefined for one that cannot be computed, which the log then knows. */
function evaluateOrSay(template: Template, what: string, at: Position, row: JsonObject, log: DiagnosticLog): Json | undefined {
  const evaluated = evaluateTemplate(template, { matrix: row });
  if (evaluated.ok) return evaluated.value;
  log.error(at, 'invalid-expression', `${what} cannot be computed: ${evaluated.problem}`);
  return undefined;
}

function labelsOf(value: Json | undefined, job: Job, row: JsonObject, log: DiagnosticLog): readonly string[] {
  if (value === undefined) return [];
  const labels = (Array.isArray(value) ? value : [value]).map((label: Json | undefined) => displayText(label).trim());
  if (labels.length > 0 && labels.every((label) => label !== '' && label.length <= MAX_LABEL_LENGTH)) return labels;
  const combination = describeCombination(row);
  log.error(
    job.runsOnAt,
    'wrong-value',
    `"runs-on" of the job ${quote(job.id)} gives no label of 1 to ${MAX_LABEL_LENGTH} characters${combination && ` for the combination (${combination})`}`,
  );
  return [];
}
