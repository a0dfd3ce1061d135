import type { RunStatus } from '@triphammer/models/runs';
import { isFinal } from './status';

export interface NeedingJob {
  readonly id: number;
  readonly key: string;
  readonly needs: readonly string[];
  readonly status: RunStatus;
  readonly continueOnError: boolean;
}

export interface Resolution {
  readonly released: readonly number[];
  readonly skipped: readonly number[];
}

/**
 * Which blocked jobs of one attempt may go on and which never will: one is released when every job it needs, each
 * combination of a matrix included, succeeded or was allowed to fail; it is skipped when they ended otherwise. Goes to
 * the fix-point, so that a chain of skips is settled at once. Pure, and the same answer however often it is asked.
 */
export function resolveNeeds(jobs: readonly NeedingJob[]): Resolution {
  const statusOf = new Map(jobs.map((job) => [job.id, job.status]));
  const released: number[] = [];
  const skipped: number[] = [];
  for (let changed = true; changed; ) {
    changed = false;
    for (const job of jobs.filter((candidate) => statusOf.get(candidate.id) === 'blocked')) {
      const needed = jobs.filter((other) => job.needs.includes(other.key));
      if (!needed.every((other) => isFinal(statusOf.get(other.id) ?? other.status))) continue;
      const isMet = needed.every((other) => isGood(statusOf.get(other.id) ?? other.status, other.continueOnError));
      statusOf.set(job.id, isMet ? 'waiting' : 'skipped');
      (isMet ? released : skipped).push(job.id);
      changed = true;
    }
  }
  return { released, skipped };
}

function isGood(status: RunStatus, continueOnError: boolean): boolean {
  return status === 'success' || (status === 'failure' && continueOnError);
}
