import type { JobRecord, StepRecord, WaitingReason } from '@triphammer/runs';
import { z } from 'zod';
import { branchOf } from './run-shape';
import { CONCLUSION, STATE, STATUS, STATUS_WORDS, type StatusWords } from './status-words';

const STEP = z.object({
  name: z.string(),
  number: z.int().describe('Counts from 0'),
  status: STATUS,
  conclusion: CONCLUSION.optional(),
  started_at: z.iso.datetime().optional(),
  completed_at: z.iso.datetime().optional(),
});

/** Gitea's `ActionWorkflowJob`; `state`, `needs`, `reason` and `waiting` are ours. A time that has not come yet is left out. */
export const JOB = z.object({
  id: z.int(),
  url: z.string(),
  run_id: z.int(),
  run_url: z.string(),
  name: z.string(),
  labels: z.array(z.string()),
  run_attempt: z.int(),
  head_sha: z.string(),
  head_branch: z.string().optional().describe('Left out when the ref is no branch'),
  status: STATUS,
  conclusion: CONCLUSION.optional(),
  state: STATE,
  runner_id: z.int().optional(),
  runner_name: z.string().optional(),
  steps: z.array(STEP),
  needs: z.array(z.string()).describe('Keys of the jobs it needs'),
  waiting: z
    .object({ code: z.enum(['NEEDS_NOT_DONE', 'LABELS_MISSING', 'RUNNERS_OFFLINE', 'RUNNERS_BUSY', 'ABOUT_TO_START']), text: z.string() })
    .nullable()
    .describe('Why it has not begun; null once it has, or when it never will'),
  reason: z.string().nullable().describe('Why it ended without, or against, the report of a runner'),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().optional(),
  completed_at: z.iso.datetime().optional(),
});

export const JOB_LIST = z.object({ total_count: z.int(), jobs: z.array(JOB) });

export function showJob(job: JobRecord, waiting: WaitingReason | undefined, apiUrl: string): z.input<typeof JOB> {
  const actions = `${apiUrl}/repos/${job.repository}/actions`;
  return {
    id: job.id,
    url: `${actions}/jobs/${job.id}`,
    run_id: job.runId,
    run_url: `${actions}/runs/${job.runId}`,
    name: job.name,
    labels: [...job.labels],
    run_attempt: job.attempt,
    head_sha: job.sha,
    head_branch: branchOf(job.ref),
    ...STATUS_WORDS[job.status],
    state: job.status,
    runner_id: job.runnerId ?? undefined,
    runner_name: job.runnerName ?? undefined,
    steps: job.steps.map((step) => showStep(step, job.status)),
    needs: [...job.needs],
    waiting: waiting ?? null,
    reason: job.reason,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString(),
    completed_at: job.stoppedAt?.toISOString(),
  };
}

function showStep(step: StepRecord, job: JobRecord['status']): z.input<typeof STEP> {
  return {
    name: step.name,
    number: step.index,
    ...stepWords(step.status ?? 'waiting', job),
    started_at: step.startedAt?.toISOString(),
    completed_at: step.stoppedAt?.toISOString(),
  };
}

/** A step that its runner left open ends with its job: unbegun it was skipped, begun it shares the job's end. */
export function stepWords(step: NonNullable<StepRecord['status']>, job: JobRecord['status']): StatusWords {
  const jobWords: StatusWords = STATUS_WORDS[job];
  const isOpen = step === 'waiting' || step === 'running';
  if (!isOpen || jobWords.conclusion === undefined) return STATUS_WORDS[step];
  return step === 'waiting' ? STATUS_WORDS.skipped : jobWords;
}
