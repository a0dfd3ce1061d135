import { z } from 'zod';

const id = z.number().int().positive();

/**
 * Every event, with its payload: ids and facts that cannot be read again. A consumer reads the state itself, so that
 * a late or repeated message does no harm. Names are `<noun>.<past participle>`.
 */
export const EVENTS = {
  /** A webhook is stored and waits to be evaluated. */
  'forge-event.received': z.object({ deliveryId: id }),
  /** A run exists with its first attempt and all jobs. */
  'run.created': z.object({ runId: id }),
  /** A job that was blocked, or whose task was abandoned, may be claimed. */
  'job.released': z.object({ runId: id, jobId: id }),
  'job.claimed': z.object({ runId: id, jobId: id, taskId: id }),
  /** A job has its final state, with or without a runner. */
  'job.finished': z.object({ runId: id, jobId: id }),
  /** Nothing will be appended to a task's log any more. */
  'log.completed': z.object({ taskId: id }),
} as const satisfies Record<string, z.ZodObject>;

export type EventName = keyof typeof EVENTS;
export type EventPayload<Name extends EventName> = z.output<(typeof EVENTS)[Name]>;
