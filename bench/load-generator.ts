import { setTimeout as pause } from 'node:timers/promises';
import { Client, type Dispatcher } from 'undici';
import type { Load, LoadReport, Poll } from './load';

/** Without a task an answer has a handful of bytes, with one several hundred, gzipped or not. */
const TASK_BYTES = 64;
const CONNECT_LIMIT_MS = 60_000;

/** The process behind LoadGenerator. */
process.on('message', (load: Load) => {
  void makeLoad(load).then((report) => process.send?.(report));
});

class Tally {
  answers = 0;
  tasks = 0;
  failures = 0;
  failure: string | undefined;
  readonly latenciesMs: number[] = [];
  isOver = false;

  answer(latencyMs: number, hasTask: boolean): void {
    this.answers += 1;
    if (hasTask) this.tasks += 1;
    this.latenciesMs.push(latencyMs);
  }

  fail(reason: string): void {
    this.failures += 1;
    this.failure ??= reason;
  }
}

async function makeLoad({ url, polls, seconds, rampSeconds = 0 }: Load): Promise<LoadReport> {
  const tally = new Tally();
  const { origin, pathname } = new URL(url);
  const clients = polls.map(() => new Client(origin, { pipelining: 1, headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_LIMIT_MS } }));
  clients.forEach((client, index) => {
    const poll = polls[index] as Poll;
    setTimeout(() => new Connection(client, pathname, poll, tally).send(), (index / polls.length) * rampSeconds * 1_000);
  });
  await pause(seconds * 1_000);
  tally.isOver = true;
  await Promise.all(clients.map((client) => client.destroy()));
  const { answers, tasks, failures, failure, latenciesMs } = tally;
  return { answers, tasks, failures, failure, latenciesMs: Float64Array.from(latenciesMs) };
}

/** Sends one request after the other, by undici's cheapest interface. */
class Connection implements Dispatcher.DispatchHandler {
  private sentAt = 0;
  private status = 0;
  private size = 0;

  constructor(
    private readonly client: Client,
    private readonly path: string,
    private readonly poll: Poll,
    private readonly tally: Tally,
  ) {}

  send(): void {
    if (this.tally.isOver) return;
    this.sentAt = performance.now();
    this.size = 0;
    this.client.dispatch({ method: 'POST', path: this.path, headers: this.poll.headers, body: this.poll.body }, this);
  }

  onRequestStart(): void {}

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.size += chunk.length;
  }

  onResponseEnd(): void {
    if (this.tally.isOver) return;
    if (this.status === 200) this.tally.answer(performance.now() - this.sentAt, this.size > TASK_BYTES);
    else this.tally.fail(`status ${this.status}`);
    this.send();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.tally.isOver) return;
    this.tally.fail(error.message);
    setTimeout(() => this.send(), 100);
  }
}
