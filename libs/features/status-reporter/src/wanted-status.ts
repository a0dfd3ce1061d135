import type { WantedStatus } from '@triphammer/forges';
import { type ShownStatus, statusDescription, statusState } from '@triphammer/workflows';

/** A job as far as a commit status tells of it. */
export interface StatusJob {
  readonly jobId: number;
  readonly runId: number;
  readonly repositoryId: number;
  readonly ownerName: string;
  readonly repositoryName: string;
  readonly sha: string;
  readonly context: string;
  readonly status: ShownStatus;
  readonly startedAt: Date | null;
  readonly stoppedAt: Date | null;
}

/** What the job's commit should show now. */
export function wantedStatus(job: StatusJob, publicUrl: string): WantedStatus {
  const durationMs = job.startedAt && job.stoppedAt ? job.stoppedAt.getTime() - job.startedAt.getTime() : 0;
  return {
    repositoryId: job.repositoryId,
    sha: job.sha,
    context: job.context,
    jobId: job.jobId,
    state: statusState(job.status),
    description: statusDescription(job.status, durationMs),
    targetUrl: `${publicUrl}/${job.ownerName}/${job.repositoryName}/actions/runs/${job.runId}/jobs/${job.jobId}`,
  };
}
