import type { RunStatus, TaskStatus } from '@triphammer/models/runs';

const FINAL = ['success', 'failure', 'cancelled', 'skipped'] as const satisfies readonly RunStatus[];
export type FinalStatus = (typeof FINAL)[number];

/** From which states a job may come into each. A statement that moves a status names these, so that a late message changes nothing. */
export const JOB_MAY_COME_FROM = {
  blocked: [],
  waiting: ['blocked', 'running'],
  running: ['waiting'],
  cancelling: ['running'],
  success: ['running'],
  failure: ['blocked', 'waiting', 'running', 'cancelling'],
  cancelled: ['blocked', 'waiting', 'running', 'cancelling'],
  skipped: ['blocked', 'waiting', 'running'],
} as const satisfies Record<RunStatus, readonly RunStatus[]>;

/** A task in one of these may still be reported on with effect. */
export const LIVE_TASK = ['claimed', 'running', 'cancelling'] as const satisfies readonly TaskStatus[];

export function isFinal(status: RunStatus): status is FinalStatus {
  return (FINAL as readonly RunStatus[]).includes(status);
}

export interface CombinedJob {
  readonly status: RunStatus;
  readonly continueOnError: boolean;
}

/** The state of what these jobs make up: the first rule that fits (workflow-semantics 3.14). No jobs at all count as skipped. */
export function combineStatus(jobs: readonly CombinedJob[]): RunStatus {
  const has = (status: RunStatus) => jobs.some((job) => job.status === status);
  const isFine = (job: CombinedJob) => job.status === 'success' || job.status === 'skipped' || (job.status === 'failure' && job.continueOnError);
  if (jobs.every((job) => job.status === 'skipped')) return 'skipped';
  if (jobs.every(isFine)) return 'success';
  for (const status of ['cancelling', 'running', 'waiting', 'blocked', 'cancelled'] as const) if (has(status)) return status;
  return 'failure';
}
