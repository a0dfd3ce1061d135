import type { Job, Run, State } from './api-answers';
import { type Call, repositoryPath } from './command';
import { UnreachableError } from './command-error';
import { followLog } from './follow-log';
import { printable } from './table';
import { elapsedText } from './time-text';

const LOOK_EVERY_MS = 1_000;
/** How long a log may still come after its run's end, and how long a server may be away. */
const PATIENCE_MS = 15_000;
const PAGE = 50;

const MARKS: Readonly<Record<State, string>> = {
  blocked: '.',
  waiting: '.',
  running: '>',
  cancelling: '>',
  success: '✓',
  failure: '✗',
  cancelled: '!',
  skipped: '-',
};

const GOOD: readonly State[] = ['success', 'skipped'];
const FINAL: readonly State[] = [...GOOD, 'failure', 'cancelled'];

/** Shows a run's jobs and their logs as they come, until the run ends. Returns 0 when it went well, else 1. */
export async function watchRun(call: Call, runId: number): Promise<number> {
  const watch = new Watch(call);
  const stop = new AbortController();
  let run = await readRun(call, runId);
  watch.begin(run);
  for (;;) {
    for (const job of await patiently(call, () => readJobs(call, run))) watch.see(job, stop.signal);
    run = await patiently(call, () => readRun(call, runId));
    if (run.status === 'completed') break;
    await call.terminal.pause(LOOK_EVERY_MS);
  }
  for (const job of await patiently(call, () => readJobs(call, run))) watch.see(job, stop.signal);
  const shown = watch.logsEnded();
  const patience = new AbortController();
  await Promise.race([shown.then(() => patience.abort()), call.terminal.pause(PATIENCE_MS, patience.signal)]);
  stop.abort();
  await shown;
  watch.end(run);
  return GOOD.includes(run.state) ? 0 : 1;
}

/** What was shown of a run so far. */
class Watch {
  private readonly states = new Map<number, State>();
  private readonly logs = new Map<number, Promise<void>>();

  constructor(private readonly call: Call) {}

  begin(run: Run): void {
    if (!this.call.isJson) this.line(`${run.repository.full_name} #${run.run_number}: ${run.display_title} (${run.workflow_name}, run ${run.id})`);
  }

  /** Tells what is new about a job. Its log is followed from its first runner on, and its end is told after its log. */
  see(job: Job, signal: AbortSignal): void {
    if (this.states.get(job.id) === job.state) return;
    this.states.set(job.id, job.state);
    const isFinal = FINAL.includes(job.state);
    if (!isFinal) this.tell(job);
    const log = this.logs.get(job.id) ?? (job.runner_name === undefined ? undefined : this.follow(job, signal));
    const shown = isFinal ? (log ?? Promise.resolve()).then(() => this.tell(job)) : log;
    if (shown) this.logs.set(job.id, shown);
  }

  async logsEnded(): Promise<void> {
    await Promise.all(this.logs.values());
  }

  end(run: Run): void {
    if (this.call.isJson) this.json({ run });
    else this.line(`${MARKS[run.state]} The run ended: ${run.state}${after(elapsedText(run, this.call.terminal.now()))}.`);
  }

  private tell(job: Job): void {
    if (this.call.isJson) return this.json({ job });
    const details = [job.runner_name && `on ${job.runner_name}`, elapsedText(job, this.call.terminal.now()), job.waiting?.text ?? job.reason];
    this.line(`${MARKS[job.state]} ${job.name}: ${[job.state, ...details.filter(Boolean)].join(', ')}`);
  }

  private async follow(job: Job, signal: AbortSignal): Promise<void> {
    try {
      for await (const row of followLog(this.call.client, this.call.terminal, job, signal)) {
        if (this.call.isJson) this.json({ row: { job_id: job.id, ...row } });
        else this.line(`  ${job.name} | ${row.content}`);
      }
    } catch (error) {
      this.call.terminal.err(`The log of ${printable(job.name)} cannot be followed: ${(error as Error).message}\n`);
    }
  }

  private line(text: string): void {
    this.call.terminal.out(`${printable(text)}\n`);
  }

  private json(value: unknown): void {
    this.call.terminal.out(`${JSON.stringify(value)}\n`);
  }
}

function after(elapsed: string): string {
  return elapsed === '' ? '' : ` after ${elapsed}`;
}

export async function readRun({ client }: Call, runId: number): Promise<Run> {
  return client.get<Run>(`/admin/actions/runs/${runId}`);
}

/** All jobs of a run's latest attempt. */
export async function readJobs({ client }: Call, run: Run): Promise<readonly Job[]> {
  const jobs: Job[] = [];
  for (let page = 1; ; page += 1) {
    const path = `${repositoryPath(run.repository.full_name)}/actions/runs/${run.id}/jobs`;
    const answer = await client.get<{ total_count: number; jobs: readonly Job[] }>(path, { page, limit: PAGE });
    jobs.push(...answer.jobs);
    if (answer.jobs.length === 0 || jobs.length >= answer.total_count) return jobs;
  }
}

/** Asks again while the server is away, for it may be starting anew. */
async function patiently<Answer>(call: Call, ask: () => Promise<Answer>): Promise<Answer> {
  for (let waited = 0; ; waited += LOOK_EVERY_MS) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof UnreachableError) || waited >= PATIENCE_MS) throw error;
      await call.terminal.pause(LOOK_EVERY_MS);
    }
  }
}
