import { Agent } from 'node:http';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { poolOf } from '@triphammer/models';
import { RunnerService } from '@triphammer/runner-rpc';
import { makeRepository, makeRun, type makeRunner, newJob, TEST_SECRETS, type TestDatabase } from '@triphammer/testing';

export interface SeededTask {
  readonly taskId: number;
  readonly jobId: number;
  readonly runId: number;
  readonly repositoryId: number;
  readonly ownerId: number;
  /** The path of its log. */
  readonly logs: string;
}

/** A job of `acme/demo` that waits for a runner. */
export async function seedJob({ dataSource }: TestDatabase): Promise<Omit<SeededTask, 'taskId'>> {
  const repository = await makeRepository(dataSource);
  const runId = await makeRun(dataSource, [newJob('build')]);
  const found = await poolOf(dataSource).query<{ id: number }>('select id from job where run_id = $1', [runId]);
  const jobId = found.rows[0]?.id as number;
  return { jobId, runId, repositoryId: repository.id, ownerId: repository.ownerId, logs: `/api/v1/repos/acme/demo/actions/jobs/${jobId}/logs` };
}

/** Gives the job to the runner under a new task. */
export async function giveJob({ dataSource }: TestDatabase, job: Omit<SeededTask, 'taskId'>, runnerId: number): Promise<SeededTask> {
  const added = await poolOf(dataSource).query<{ id: number }>(
    `with added as (
       insert into task (job_id, run_id, repository_id, runner_id, status, claimed_at) values ($1, $2, $3, $4, 'claimed', now()) returning id, job_id
     )
     update job set status = 'running', task_id = added.id from added where job.id = added.job_id returning added.id`,
    [job.jobId, job.runId, job.repositoryId, runnerId],
  );
  return { ...job, taskId: added.rows[0]?.id as number };
}

/** A task that a runner of that name has. */
export async function seedTask(database: TestDatabase, runner: { readonly id: number }): Promise<SeededTask> {
  return giveJob(database, await seedJob(database), runner.id);
}

export type Runner = Awaited<ReturnType<typeof makeRunner>>;

/** The runner's own client; a test's runner has its name for a token. */
export function runnerClient(url: string, runner: Pick<Runner, 'uuid' | 'name'>, useBinaryFormat = true) {
  const transport = createConnectTransport({
    baseUrl: `${url}/api/actions`,
    httpVersion: '1.1',
    // A connection for each call: a server that stops waits for those that are kept.
    nodeOptions: { agent: new Agent({ keepAlive: false }) },
    useBinaryFormat,
    interceptors: [
      (next) => (request) => {
        request.header.set('x-runner-uuid', runner.uuid);
        request.header.set('x-runner-token', runner.name);
        return next(request);
      },
    ],
  });
  return createClient(RunnerService, transport);
}

export const AUTHORIZED = { authorization: `Bearer ${TEST_SECRETS.ADMIN_TOKEN}` } as const;

/** Rows `row <from>` to `row <to - 1>`, as a runner sends them. */
export function rows(from: number, to: number) {
  return Array.from({ length: to - from }, (_, at) => ({ time: { seconds: BigInt(1_796_056_476 + from + at), nanos: 1_000 }, content: `row ${from + at}` }));
}

/** The contents of a log that the API gave as text. */
export function contents(text: string): string[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => line.slice(31));
}

export interface StreamedEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: unknown;
}

export interface EventReader {
  readonly headers: Headers;
  readonly events: readonly StreamedEvent[];
  /** All that came, comments too. */
  readonly text: () => string;
  /** Resolves when this many events are there, or when the stream has ended. */
  count(events: number): Promise<readonly StreamedEvent[]>;
  readonly closed: Promise<void>;
  cancel(): Promise<void>;
}

/** Reads server-sent events as a browser does. */
export async function openEvents(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
  const response = await fetch(url, { headers: { ...AUTHORIZED, ...headers } });
  if (!response.body || response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const reader = response.body.getReader();
  const events: StreamedEvent[] = [];
  let text = '';
  let rest = '';
  let wake: () => void = () => undefined;
  const decoder = new TextDecoder();
  const pump = async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const piece = decoder.decode(part.value, { stream: true });
      text += piece;
      rest += piece;
      const blocks = rest.split('\n\n');
      rest = blocks.pop() as string;
      events.push(...blocks.flatMap(parseEvent));
      wake();
    }
  };
  let isClosed = false;
  const closed = pump()
    .catch(() => undefined)
    .finally(() => {
      isClosed = true;
      wake();
    });
  return {
    headers: response.headers,
    events,
    text: () => text,
    count: async (wanted) => {
      while (events.length < wanted && !isClosed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return events;
    },
    closed,
    cancel: () => reader.cancel(),
  };
}

function parseEvent(block: string): StreamedEvent[] {
  const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const));
  const data = fields.get('data');
  return data === undefined ? [] : [{ id: fields.get('id'), event: fields.get('event') ?? 'message', data: JSON.parse(data) }];
}

/** Asks until the answer is there; the test's own limit ends it. */
export async function eventually<Result>(ask: () => Promise<Result | undefined>): Promise<Result> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
