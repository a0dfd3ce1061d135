import type { JobRecord, StepRecord } from '@triphammer/runs';
import { z } from 'zod';

type RunStatus = JobRecord['status'];
type StepStatus = NonNullable<StepRecord['status']>;

/** Gitea's words for a state. It calls `queued` what waits for a runner, and `waiting` what waits for other jobs. */
export interface StatusWords {
  readonly status: 'queued' | 'waiting' | 'in_progress' | 'completed';
  readonly conclusion?: 'success' | 'failure' | 'cancelled' | 'skipped';
}

export const STATUS_WORDS = {
  blocked: { status: 'waiting' },
  waiting: { status: 'queued' },
  running: { status: 'in_progress' },
  cancelling: { status: 'in_progress' },
  success: { status: 'completed', conclusion: 'success' },
  failure: { status: 'completed', conclusion: 'failure' },
  cancelled: { status: 'completed', conclusion: 'cancelled' },
  skipped: { status: 'completed', conclusion: 'skipped' },
} as const satisfies Record<RunStatus | StepStatus, StatusWords>;

export const STATUS = z.enum(['queued', 'waiting', 'in_progress', 'completed']);
export const CONCLUSION = z.enum(['success', 'failure', 'cancelled', 'skipped']);
/** Finer than Gitea's two words. */
export const STATE = z.enum(Object.keys(STATUS_WORDS) as RunStatus[]);

/** What a list may be filtered by; Gitea's synonyms among them. */
const FILTER_WORDS = {
  queued: ['waiting'],
  waiting: ['blocked'],
  pending: ['blocked'],
  requested: ['blocked'],
  in_progress: ['running', 'cancelling'],
  completed: ['success', 'failure', 'cancelled', 'skipped'],
  success: ['success'],
  failure: ['failure'],
  cancelled: ['cancelled'],
  skipped: ['skipped'],
} as const satisfies Record<string, readonly RunStatus[]>;

const FILTER_WORD = z.enum(Object.keys(FILTER_WORDS) as (keyof typeof FILTER_WORDS)[]);

/** `?status=queued`, or several of them. */
export const STATUS_FILTER = z
  .union([FILTER_WORD, z.array(FILTER_WORD)])
  .transform((words): readonly RunStatus[] => [words].flat().flatMap((word) => FILTER_WORDS[word]))
  .optional();
