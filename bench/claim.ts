import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDataSource, migrate, poolOf, transaction } from '@triphammer/models';
import { startEmbeddedPostgres } from '@triphammer/platform/embedded-postgres';
import { claimJobs, labelKey } from '@triphammer/runs';
import type { DataSource } from 'typeorm';
import { cpuSeconds } from './cpu-time';
import { FETCH_TASK_PATH, fetchTaskPoll } from './fetch-task-poll';
import { LoadGenerator } from './load';
import { addRunners, addWaitingJobs } from './seed';
import { startShipped } from './shipped';
import { median, percentile } from './statistics';
import { printTable, show } from './table';

const SIZES = [10_000, 100_000] as const;
const ROUNDS = 3;
/** What one dispatcher claims at once, in one transaction: see WaitingRoom. */
const CLAIMERS = 64;
/** The server parameters that the shipped process gives its own Postgres. Everything else is Postgres' default, fsync too. */
const PARAMETERS = { max_connections: '40' };

/** Jobs claimed per second by `claimJobs`, with task row and outbox, and then by 64 runners through FetchTask. */
export async function claim(seconds: number): Promise<string> {
  const rates = await claimDirectly();
  await claimThroughFetchTask(seconds);
  const [small, large] = SIZES;
  return `${show(rates.get(large) ?? 0)} claims/s with ${show(large)} jobs waiting (${show(rates.get(small) ?? 0)} with ${show(small)})`;
}

async function claimDirectly(): Promise<ReadonlyMap<number, number>> {
  const folder = await mkdtemp(join(tmpdir(), 'triphammer-bench-'));
  await chmod(folder, 0o755);
  const server = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), parameters: PARAMETERS, log: () => undefined });
  const dataSource = await createDataSource({ url: server.url(), poolSize: 20, applicationName: 'bench' }).initialize();
  try {
    await migrate(dataSource);
    const rows = [];
    for (const size of SIZES) {
      const rounds = [];
      for (let round = 0; round < ROUNDS; round += 1) rounds.push(await drain(dataSource, size));
      rows.push({ size, ...medianOf(rounds) });
    }
    printTable(
      rows.map(({ size, perSecond, cpuMicroseconds, p50Ms, p99Ms }) => ({
        'claimJobs, jobs waiting': show(size),
        'claims/s': perSecond,
        'CPU us each': cpuMicroseconds,
        [`p50 ms for ${CLAIMERS}`]: p50Ms,
        'p99 ms': p99Ms,
      })),
    );
    return new Map(rows.map(({ size, perSecond }) => [size, perSecond]));
  } finally {
    await dataSource.destroy();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

interface Drained {
  readonly perSecond: number;
  /** Of this process and Postgres together. */
  readonly cpuMicroseconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Claims a queue of this size to its end, one transaction after the other, as the one loop of a dispatcher does. */
async function drain(dataSource: DataSource, size: number): Promise<Drained> {
  await refill(dataSource, size);
  const claimers = Array.from({ length: CLAIMERS }, (_, index) => ({ runnerId: index + 1, requestKey: null }));
  const times: number[] = [];
  const cpuBefore = cpuSeconds([process.pid]);
  const begun = performance.now();
  for (let claimed = 0; claimed < size; ) {
    const from = performance.now();
    const jobs = await transaction(dataSource, (tx) => claimJobs(tx, labelKey(['linux']), { ownerId: null, repositoryId: null }, claimers, new Date()));
    if (jobs.length === 0) throw new Error(`${size - claimed} of ${size} jobs could not be claimed`);
    claimed += jobs.length;
    times.push(performance.now() - from);
  }
  const elapsed = (performance.now() - begun) / 1_000;
  const cpuMicroseconds = ((cpuSeconds([process.pid]) - cpuBefore) / size) * 1_000_000;
  return { perSecond: size / elapsed, cpuMicroseconds, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
}

async function refill(dataSource: DataSource, size: number): Promise<void> {
  const pool = poolOf(dataSource);
  await pool.query('truncate run, attempt, job, job_payload, task, outbox');
  await addWaitingJobs(dataSource, size, 'linux');
  await pool.query('checkpoint');
}

function medianOf(rounds: readonly Drained[]): Drained {
  const of = (name: keyof Drained) => median(rounds.map((round) => round[name]));
  return { perSecond: of('perSecond'), cpuMicroseconds: of('cpuMicroseconds'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms') };
}

/** The whole way: authentication, the held poll, claim, payload, job token, and the outbox relayed beside it. */
async function claimThroughFetchTask(seconds: number): Promise<void> {
  const shipped = await startShipped();
  const generator = new LoadGenerator();
  try {
    const runners = await addRunners(shipped.dataSource, CLAIMERS, 'linux');
    await addWaitingJobs(shipped.dataSource, 100_000, 'linux');
    const before = cpuSeconds([shipped.pid]);
    const report = await generator.run({ url: shipped.url + FETCH_TASK_PATH, polls: runners.map((runner) => fetchTaskPoll(runner, 5_000, 1n)), seconds });
    const spent = cpuSeconds([shipped.pid]) - before;
    if (report.failures > 0 || report.tasks === 0) throw new Error(`${report.tasks} tasks, ${report.failures} failures, the first: ${report.failure}`);
    printTable([
      {
        'FetchTask, fetchers': CLAIMERS,
        'claims/s': report.tasks / seconds,
        'CPU us each': (spent / report.tasks) * 1_000_000,
        'p50 ms': percentile(report.latenciesMs, 0.5),
        'p99 ms': percentile(report.latenciesMs, 0.99),
      },
    ]);
  } finally {
    generator.stop();
    await shipped.stop();
  }
}
