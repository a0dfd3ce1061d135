import type { CallContext, FetchTaskRequest } from '@triphammer/runner-rpc';
import { FetchTaskResponseSchema, PreEncoded, type Task } from '@triphammer/runner-rpc';
import type { ClaimedJob, RunnerIdentity } from '@triphammer/runs';
import { Counter } from 'prom-client';
import type { DispatchDesk } from '../dispatch-desk';
import { authenticate } from '../runner-headers';

/** What a client that says nothing of its patience is held: older ones wait five seconds. */
const DEFAULT_HOLD_MS = 4_000;
/** Time for our answer to reach the client before its own deadline. */
const MARGIN_MS = 500;
const MAX_REQUEST_KEY = 100;

/**
 * Runners remember the highest version they were given and may skip a poll's work when it has not grown. Here a poll
 * always looks, so the version says nothing; it must only never be 0, which old runners take for an old server.
 */
const TASKS_VERSION = 1n;

const NOTHING = new PreEncoded(FetchTaskResponseSchema, { tasksVersion: TASKS_VERSION });

const fetches = new Counter({ name: 'triphammer_sched_fetch_total', help: 'FetchTask calls by result', labelNames: ['result'] });
const none = fetches.labels('none');

export interface FetchTaskDeps {
  readonly desk: DispatchDesk;
  /** The task as the runner gets it; undefined when it cannot be made, in which case its job has failed by now. */
  readonly prepare: (job: ClaimedJob, runner: RunnerIdentity) => Promise<Task | undefined>;
  /** Whether an ephemeral runner has had its one task. */
  readonly isSpent: (runner: RunnerIdentity) => Promise<boolean>;
}

/** Hands out one job, or holds the call until there is one or the client's patience ends. Costs no query while idle. */
export function fetchTask(deps: FetchTaskDeps) {
  const { desk } = deps;
  return async (_request: FetchTaskRequest, context: CallContext) => {
    const known = authenticate(desk.runners, context.headers);
    const runner = known instanceof Promise ? await known : known;
    desk.noteCall(runner);
    const holdMs = holdTime(context.timeoutMs, desk.config.runners.fetchHoldLimitMs);
    const requestKey = readRequestKey(context);
    if (requestKey === null && holdMs <= 0 && desk.board.claimable(runner.labels, runner).length === 0) {
      none.inc();
      return NOTHING;
    }
    const task = await takeTask(deps, runner, requestKey, holdMs, context);
    fetches.inc({ result: task ? 'task' : 'none' });
    return task ? { task, tasksVersion: TASKS_VERSION } : NOTHING;
  };
}

/** Until half a second before the client gives up, and never longer than the setting. */
function holdTime(timeoutMs: number | undefined, limitMs: number): number {
  return Math.min(limitMs, timeoutMs === undefined ? DEFAULT_HOLD_MS : timeoutMs - MARGIN_MS);
}

async function takeTask(
  deps: FetchTaskDeps,
  runner: RunnerIdentity,
  requestKey: string | null,
  holdMs: number,
  context: CallContext,
): Promise<Task | undefined> {
  const { desk } = deps;
  if (runner.ephemeral && (await deps.isSpent(runner))) return undefined;
  const replayed = requestKey === null ? undefined : desk.replay(runner, requestKey);
  if (replayed) return deps.prepare(replayed, runner);
  const deadline = performance.now() + holdMs;
  // A job that cannot be prepared has failed, alone; the runner goes on to the next within the same call.
  for (;;) {
    const job = await desk.room.wait({ runner, requestKey, holdMs: deadline - performance.now(), signal: context.signal });
    if (!job) return undefined;
    if (requestKey !== null) desk.remember(job, requestKey);
    if (context.signal.aborted) {
      await desk.giveBack(job);
      return undefined;
    }
    const task = await deps.prepare(job, runner);
    if (task) return task;
  }
}

function readRequestKey({ headers }: CallContext): string | null {
  const key = headers['x-runner-request-key'];
  return typeof key === 'string' && key !== '' && key.length <= MAX_REQUEST_KEY ? key : null;
}
