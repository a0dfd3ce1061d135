import type { TaskStatus } from '@triphammer/models/runs';

export type TaskVerdict = 'go-on' | 'cancelled';
export type TaskResult = 'success' | 'failure' | 'cancelled' | 'skipped';
export type OverTaskStatus = TaskResult | 'abandoned';

/** Nothing that is reported changes a task any more. */
export function isOver(status: TaskStatus): status is OverTaskStatus {
  return !(status === 'claimed' || status === 'running' || status === 'cancelling');
}

/**
 * What a report makes of a task, and what its runner is told. A task that is being cancelled ends cancelled whatever
 * its runner says; one that ended here for a reason of ours tells its runner to stop. While the task goes on, and when
 * the runner only repeats the result it gave, the answer is `go-on`: newer runners take any other for a cancellation.
 */
export function foldReport(status: TaskStatus, result: TaskResult | undefined): { readonly next: TaskStatus; readonly verdict: TaskVerdict } {
  if (isOver(status)) return { next: status, verdict: status === result ? 'go-on' : 'cancelled' };
  if (status === 'cancelling') return { next: result === undefined ? 'cancelling' : 'cancelled', verdict: 'cancelled' };
  return { next: result ?? 'running', verdict: 'go-on' };
}
