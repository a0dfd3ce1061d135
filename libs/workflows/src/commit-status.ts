import { formatDuration } from '@triphammer/foundation';

export type ShownStatus = 'waiting' | 'blocked' | 'running' | 'cancelling' | 'success' | 'failure' | 'cancelled' | 'skipped';

/** Forges have no "cancelled": a cancelled job must not let a commit look good. */
export type CommitState = 'pending' | 'success' | 'failure' | 'skipped';

const TEXTS = {
  waiting: { state: 'pending', describe: () => 'Waiting to run' },
  blocked: { state: 'pending', describe: () => 'Blocked by required conditions' },
  running: { state: 'pending', describe: () => 'In progress' },
  cancelling: { state: 'pending', describe: () => 'Canceling' },
  success: { state: 'success', describe: (duration) => `Successful in ${duration}` },
  failure: { state: 'failure', describe: (duration) => `Failing after ${duration}` },
  cancelled: { state: 'failure', describe: (duration) => `Canceled after ${duration}` },
  skipped: { state: 'skipped', describe: () => 'Skipped' },
} as const satisfies Record<ShownStatus, { readonly state: CommitState; readonly describe: (duration: string) => string }>;

/** The state a forge is told for a job's status. */
export function statusState(status: ShownStatus): CommitState {
  return TEXTS[status].state;
}

/** The line beside it, as forges word their own. */
export function statusDescription(status: ShownStatus, durationMs: number): string {
  return TEXTS[status].describe(formatDuration(durationMs));
}

export interface StatusSubject {
  /** Null or blank: the file's base name stands for it. */
  readonly workflowName: string | null;
  readonly path: string;
  readonly jobName: string;
  readonly eventName: string;
}

/** `CI / build (push)`: what a forge identifies a status by, and what required checks are written against. */
export function statusContext({ workflowName, path, jobName, eventName }: StatusSubject): string {
  const workflow = workflowName?.trim() ? workflowName.trim() : baseName(path);
  return `${workflow} / ${jobName} (${eventName})`;
}

/**
 * A forge keeps one status per context, so a second job with the same text would overwrite the first: it gets ` [ci.yml]`
 * behind it, and a number from the third on. Ask in the order of file names, so that the first one keeps the plain text.
 */
export function uniqueStatusContext(context: string, path: string, taken: ReadonlySet<string>): string {
  if (!taken.has(context)) return context;
  const file = baseName(path);
  for (let count = 1; ; count += 1) {
    const candidate = `${context} [${count === 1 ? file : `${file} ${count}`}]`;
    if (!taken.has(candidate)) return candidate;
  }
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
