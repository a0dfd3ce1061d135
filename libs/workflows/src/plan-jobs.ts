import { type Diagnostic, DiagnosticLog, type Position, quote } from './diagnostic';
import type { Json, JsonObject } from './json';
import { countCombinations, describeCombination, expandMatrix } from './matrix';
import { buildPayload } from './payload';
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

const MAX_NAME_LENGTH = 255;
const MAX_LABEL_LENGTH = 255;
/** Every job carries its own payload, so a large file with a large matrix multiplies. */
const MAX_RUN_PAYLOAD_LENGTH = 32 * 1024 * 1024;

/** The jobs of a run in the order of the file, combinations in the order of their lists. The same input gives the same bytes. */
export function planJobs(workflow: Workflow, { eventName }: { readonly eventName: string }): JobPlan {
  const log = new DiagnosticLog();
  const total = workflow.jobs.reduce((sum, job) => sum + countCombinations(job.strategy.axes), 0);
  if (total > MAX_JOBS) {
    const largest = workflow.jobs.reduce((a, b) => (countCombinations(b.strategy.axes) > countCombinations(a.strategy.axes) ? b : a));
    log.error(largest.at, 'too-many-jobs', `with all matrix combinations there are ${total} jobs; a run can have at most ${MAX_JOBS}`);
    return { jobs: [], diagnostics: log.all() };
  }

  const jobs: PlannedJob[] = [];
  let length = 0;
  for (const job of workflow.jobs) {
    for (const planned of planJob(workflow, job, eventName, log)) {
      jobs.push(planned);
      length += planned.payload.length;
      if (length <= MAX_RUN_PAYLOAD_LENGTH) continue;
      log.error(job.at, 'run-too-large', 'the jobs of this run take more than 32 MiB; use fewer combinations or shorter steps');
      return { jobs: [], diagnostics: log.all() };
    }
  }
  return { jobs: log.hasErrors ? [] : jobs, diagnostics: log.all() };
}

function* planJob(workflow: Workflow, job: Job, eventName: string, log: DiagnosticLog): Generator<PlannedJob> {
  const { axes } = job.strategy;
  const rows = expandMatrix(axes);
  for (const [matrixIndex, row] of rows.entries()) {
    const matrix = axes.length > 0 ? row : null;
    const name = nameJob(job, row, log);
    const runsOn = job.runsOn.flatMap((template) =>
      labelsOf(evaluateOrSay(template, `"runs-on" of the job ${quote(job.id)}`, job.runsOnAt, row, log), job, row, log),
    );
    yield {
      jobId: job.id,
      name,
      matrix,
      matrixIndex,
      matrixTotal: rows.length,
      needs: job.needs,
      runsOn,
      continueOnError: job.continueOnError,
      timeoutMinutes: job.timeoutMinutes,
      payload: JSON.stringify(buildPayload(workflow, job, { name, matrix, runsOn, eventName })),
    };
  }
}

/** A name with an expression in it stands for itself; any other gets the combination behind it. */
function nameJob(job: Job, row: JsonObject, log: DiagnosticLog): string {
  const written = job.name ? displayText(evaluateOrSay(job.name, `the name of the job ${quote(job.id)}`, job.at, row, log)).trim() : '';
  const combination = describeCombination(job.strategy.axes, row);
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
  const combination = describeCombination(job.strategy.axes, row);
  log.error(
    job.runsOnAt,
    'wrong-value',
    `"runs-on" of the job ${quote(job.id)} gives no label of 1 to ${MAX_LABEL_LENGTH} characters${combination && ` for the combination (${combination})`}`,
  );
  return [];
}
