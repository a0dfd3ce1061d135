import type { Job, LogRow } from './api-answers';
import type { ApiClient } from './api-client';
import { UnreachableError } from './command-error';
import type { Terminal } from './terminal';

const TRIES = 10;
const PAUSE_MS = 1_000;

/** The path of a job's log, below `/api/v1`. */
export function logPath(job: Pick<Job, 'url'>): string {
  const [, path = ''] = new URL(job.url).pathname.split('/api/v1');
  return `${path}/logs`;
}

/**
 * A job's log from its first row to its last, as it grows. A stream that breaks is taken up again after the last row
 * that came; when that does not help for ten seconds, `UnreachableError`.
 */
export async function* followLog(client: ApiClient, terminal: Terminal, job: Pick<Job, 'url'>, signal: AbortSignal): AsyncGenerator<LogRow> {
  let last: number | undefined;
  for (let tries = 1; !signal.aborted; tries += 1) {
    try {
      for await (const event of client.events(`${logPath(job)}/stream`, signal, last)) {
        if (event.type === 'end') return;
        if (event.type !== 'row') continue;
        const row = JSON.parse(event.data) as LogRow;
        last = row.index;
        tries = 0;
        yield row;
      }
    } catch (error) {
      if (!(error instanceof UnreachableError) || tries >= TRIES) throw error;
    }
    if (tries >= TRIES) throw new UnreachableError('The log broke off, and did not go on.');
    await terminal.pause(PAUSE_MS, signal);
  }
}
