import type { WorkflowVerdict } from '@triphammer/forges';
import type { NewJob } from '@triphammer/runs';
import {
  type Diagnostic,
  matchPush,
  type PlannedJob,
  planJobs,
  type ReadWorkflow,
  readWorkflow,
  statusContext,
  type TriggerVerdict,
  uniqueStatusContext,
  type Workflow,
} from '@triphammer/workflows';

export interface JudgedFile {
  /** Below the workflow folder. */
  readonly path: string;
  readonly read: ReadWorkflow;
}

export interface JudgedPush {
  readonly ref: string;
  readonly refType: 'branch' | 'tag';
  readonly changedFiles: readonly string[] | undefined;
}

/** A workflow that the push starts. */
export interface StartedWorkflow {
  readonly path: string;
  readonly name: string;
  readonly title: string | null;
  readonly jobs: readonly NewJob[];
}

export interface Judgement {
  readonly verdicts: readonly WorkflowVerdict[];
  readonly started: readonly StartedWorkflow[];
}

const EVENT = 'push';

export function readFiles(folder: string, files: readonly { readonly path: string; readonly text: string }[]): readonly JudgedFile[] {
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  return sorted.map(({ path, text }) => ({ path, read: readWorkflow(text, { path: `${folder}/${path}` }) }));
}

/** Whether any of the files asks for changed files at all; finding them costs a fetch. */
export function needsChangedFiles(files: readonly JudgedFile[]): boolean {
  return files.some(({ read }) => read.on?.push?.filters.paths ?? read.on?.push?.filters['paths-ignore']);
}

/**
 * What a push makes of each workflow file, in the order of their names, with the deciding rule. The first file with a
 * status context keeps it, later ones get their name behind it.
 */
export function judgeFiles(files: readonly JudgedFile[], push: JudgedPush, defaultTimeoutMinutes: number): Judgement {
  const verdicts: WorkflowVerdict[] = [];
  const started: StartedWorkflow[] = [];
  const contexts = new Set<string>();
  for (const { path, read } of files) {
    const { workflow, on, diagnostics } = read;
    const trigger = on && matchPush(on, push);
    // An event that a file does not wait for, or filters out, need not be answered with the file's mistakes.
    if (trigger && trigger.outcome !== 'matched') verdicts.push(triggerVerdict(path, trigger));
    else if (!workflow || !trigger) verdicts.push(invalidVerdict(path, diagnostics));
    else {
      const plan = planJobs(workflow, { eventName: EVENT });
      if (plan.jobs.length === 0) verdicts.push(invalidVerdict(path, [...diagnostics, ...plan.diagnostics]));
      else {
        const warnings = [...diagnostics, ...plan.diagnostics];
        verdicts.push({ ...triggerVerdict(path, trigger), jobs: plan.jobs.length, ...(warnings.length > 0 && { warnings }) });
        started.push(startedWorkflow(path, workflow, plan.jobs, contexts, defaultTimeoutMinutes));
      }
    }
  }
  return { verdicts, started };
}

function startedWorkflow(path: string, workflow: Workflow, jobs: readonly PlannedJob[], contexts: Set<string>, defaultTimeoutMinutes: number): StartedWorkflow {
  return {
    path,
    name: workflow.name ?? path,
    title: workflow.runName,
    jobs: jobs.map((job) => {
      const plain = statusContext({ workflowName: workflow.name, path, jobName: job.name, eventName: EVENT });
      const context = uniqueStatusContext(plain, path, contexts);
      contexts.add(context);
      return {
        key: job.jobId,
        name: job.name,
        statusContext: context,
        needs: job.needs,
        condition: job.condition,
        labels: job.runsOn,
        continueOnError: job.continueOnError,
        timeoutMinutes: job.timeoutMinutes ?? defaultTimeoutMinutes,
        payload: job.payload,
      };
    }),
  };
}

function invalidVerdict(path: string, diagnostics: readonly Diagnostic[]): WorkflowVerdict {
  const first = diagnostics.find((diagnostic) => diagnostic.severity === 'error');
  const where = first ? `line ${first.line}, column ${first.column}: ${first.message}` : 'it cannot be read';
  return { path, code: 'invalid-workflow', outcome: 'invalid', text: `The workflow file is invalid: ${where}.`, diagnostics };
}

function triggerVerdict(path: string, verdict: TriggerVerdict): WorkflowVerdict {
  return { path, text: TEXTS[verdict.code](verdict), ...verdict };
}

const decided = ({ rule, pattern }: TriggerVerdict) => (pattern === undefined ? `"${rule}"` : `"${pattern}" of "${rule}"`);

/** What each code means, for people. */
const TEXTS = {
  'no-filter': () => 'Starts: the workflow runs on every push.',
  'filters-passed': (verdict) => `Starts: the push passes ${decided(verdict)}${verdict.file === undefined ? '' : ` by ${verdict.file}`}.`,
  'paths-not-tested-for-tags': () => 'Starts: path filters are not tested for tags.',
  'no-diff': () => 'Starts: which files the push changed cannot be found out, so path filters let it pass.',
  'event-not-handled': () => 'The workflow does not run on pushes.',
  'unknown-filter-key': ({ rule }) => `"${rule}" is no filter of a push, so nobody can say what it should let pass.`,
  'only-tag-filters': ({ rule }) => `The workflow has "${rule}" and no branch filter, so pushes of branches do not start it.`,
  'only-branch-filters': ({ rule }) => `The workflow has "${rule}" and no tag filter, so pushes of tags do not start it.`,
  'branch-filtered': (verdict) => `The branch does not pass ${decided(verdict)}.`,
  'tag-filtered': (verdict) => `The tag does not pass ${decided(verdict)}.`,
  'paths-filtered': (verdict) => `The changed files do not pass ${decided(verdict)}.`,
  'no-changed-files': ({ rule }) => `The push changes no file, so "${rule}" does not let it pass.`,
} as const satisfies Record<TriggerVerdict['code'], (verdict: TriggerVerdict) => string>;
