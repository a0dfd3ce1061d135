import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '@triphammer/models';
import { isFinal } from '@triphammer/runs';
import { type JobLog, reloadJobLog } from './job-log';
import type { LiveTails, TailEvent } from './live-tails';

interface Deps {
  readonly sql: Sql;
  readonly tails: LiveTails;
}

/** How soon a reader sees that the job it waits for was given to a runner. */
const LOOK_EVERY_MS = 500;
const LOOKS_TO_IDLE = 24;

/**
 * The log of whatever task a job has: waits for its first one, and goes over to the next one when a task was given up before it
 * logged anything.
 */
export async function* followJob({ sql, tails }: Deps, job: JobLog, from: number, signal: AbortSignal): AsyncGenerator<TailEvent> {
  let current = job;
  for (let looks = 1; !signal.aborted && !tails.isClosed; looks += 1) {
    if (current.taskId !== null) {
      const outcome = yield* followTask(tails, current.taskId, from, signal);
      if (outcome === 'left') return;
      const next = await reloadJobLog(sql, job.jobId);
      if (outcome === 'rows' || next.taskId === current.taskId) return yield 'end';
      current = next;
    } else if (isFinal(current.status)) {
      return yield 'end';
    } else {
      await sleep(LOOK_EVERY_MS);
      if (looks % LOOKS_TO_IDLE === 0) yield 'idle';
      current = await reloadJobLog(sql, job.jobId);
    }
  }
}

/** Returns whether the log has ended with rows or without, or was left before its end. */
async function* followTask(tails: LiveTails, taskId: number, from: number, signal: AbortSignal): AsyncGenerator<TailEvent, 'rows' | 'empty' | 'left'> {
  let hasRows = from > 0;
  for await (const event of tails.follow(taskId, from, signal)) {
    if (event === 'end') return hasRows ? 'rows' : 'empty';
    hasRows ||= event !== 'idle';
    yield event;
  }
  return 'left';
}
