import type { RunStatus } from '@triphammer/models/runs';
import { evaluateCondition, type JsonObject } from '@triphammer/workflows';
import { combineStatus, isFinal } from './status';

export interface NeedingJob {
  readonly id: number;
  readonly key: string;
  readonly needs: readonly string[];
  /** `if` as written; null: all that is needed must have succeeded. */
  readonly condition: string | null;
  readonly status: RunStatus;
  readonly continueOnError: boolean;
}

/** What conditions read beside the jobs themselves. */
export interface ConditionFacts {
  readonly github: JsonObject;
  /** Of finished jobs, by their id. */
  readonly outputs: ReadonlyMap<number, Readonly<Record<string, string>>>;
}

export interface Resolution {
  readonly released: readonly number[];
  /** Never given to a runner. */
  readonly ended: readonly EndedJob[];
}

export interface EndedJob {
  readonly id: number;
  readonly status: 'skipped' | 'failure';
  /** For people. */
  readonly reason: string;
}

/** What a runner, and a condition, is told of the job that another one needs. */
export interface NeedFacts {
  readonly result: RunStatus;
  readonly outputs: Readonly<Record<string, string>>;
}

export interface NeedRow {
  readonly status: RunStatus;
  readonly continueOnError: boolean;
  readonly outputs: Readonly<Record<string, string>>;
}

/**
 * Which blocked jobs of one attempt may go on and which never will, once every job that they need, each combination of a
 * matrix included, has ended: their `if` decides, and without one all must have succeeded or been allowed to fail. A
 * condition that cannot be evaluated fails its job. Goes to the fix-point, so that a chain of skips is settled at once.
 * Pure, and the same answer however often it is asked.
 */
export function resolveNeeds(jobs: readonly NeedingJob[], facts: ConditionFacts): Resolution {
  const current = jobs.map((job) => ({ ...job }));
  const released: number[] = [];
  const ended: EndedJob[] = [];
  for (let changed = true; changed; ) {
    changed = false;
    for (const job of current.filter(({ status }) => status === 'blocked')) {
      if (!isReady(job, current)) continue;
      const end = decide(job, neededBy(job, current), facts);
      if (end) ended.push({ id: job.id, ...end });
      else released.push(job.id);
      job.status = end?.status ?? 'waiting';
      changed = true;
    }
  }
  return { released, ended };
}

/** Whether all that the job needs has ended, so that it can be decided. */
export function isReady(job: NeedingJob, jobs: readonly NeedingJob[]): boolean {
  return neededBy(job, jobs).every((other) => isFinal(other.status));
}

function neededBy(job: NeedingJob, jobs: readonly NeedingJob[]): readonly NeedingJob[] {
  return jobs.filter((other) => job.needs.includes(other.key));
}

/** One job, or all combinations of a matrix: a later one's outputs win, but an empty value never replaces one that is not (workflow-semantics 3.8). */
export function mergeNeed(rows: readonly NeedRow[]): NeedFacts {
  const outputs: Record<string, string> = {};
  for (const [key, value] of rows.flatMap((row) => Object.entries(row.outputs))) {
    if (value !== '' || outputs[key] === undefined) outputs[key] = value;
  }
  return { result: combineStatus(rows), outputs };
}

/** Undefined: the job goes on. */
function decide(job: NeedingJob, needed: readonly NeedingJob[], { github, outputs }: ConditionFacts): Omit<EndedJob, 'id'> | undefined {
  const haveSucceeded = needed.every((other) => isGood(other));
  if (job.condition === null) return haveSucceeded ? undefined : { status: 'skipped', reason: 'A job that this one needs did not succeed.' };
  const rowsOf = (key: string) => needed.filter((other) => other.key === key).map((other) => ({ ...other, outputs: outputs.get(other.id) ?? {} }));
  const needs: JsonObject = Object.fromEntries(job.needs.map((key) => [key, { ...mergeNeed(rowsOf(key)) }]));
  const condition = evaluateCondition(
    job.condition,
    { github, needs },
    {
      haveSucceeded,
      hasFailure: needed.some((other) => other.status === 'failure' && !isGood(other)),
      hasCancelled: needed.some((other) => other.status === 'cancelled'),
    },
  );
  if (!condition.ok) return { status: 'failure', reason: `Its "if" cannot be evaluated: ${condition.problem}.` };
  return condition.isMet
    ? undefined
    : { status: 'skipped', reason: haveSucceeded ? 'Its "if" does not hold.' : 'Its "if" does not hold as the jobs that it needs ended.' };
}

function isGood({ status, continueOnError }: NeedingJob): boolean {
  return status === 'success' || (status === 'failure' && continueOnError);
}
