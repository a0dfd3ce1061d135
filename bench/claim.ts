import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDataSource, migrate, poolOf, transaction } from '@triphammer/models';
import { startEmbeddedPostgres } from '@triphammer/platform/embedded-postgres';
import { claimJobs, labelKey } from '@triphammer/runs';
import type { DataSource } from 'typeorm';
import { giteaClaims } from './beside-gitea';
import { type ClaimRate, claimRow, measureClaims } from './claim-rate';
import { cpuSeconds } from './process-tree';
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

const TIMEOUT_MS = 5_000;
const WARM_UP_SECONDS = 5;

/** Jobs claimed per second by `claimJobs`, with task row and outbox, and then by 64 runners through FetchTask. */
export async function claim(seconds: number, besideGitea: boolean): Promise<string> {
  const generator = new LoadGenerator();
  try {
    const rates = await claimDirectly();
    const fetched = await claimThroughFetchTask(generator, seconds);
    const gitea = besideGitea ? await giteaClaims(generator, CLAIMERS, SIZES[0]) : undefined;
    printTable([
      ...[...rates].map(([size, rate]) => claimRow(`claimJobs for ${CLAIMERS}, ${show(size)} jobs wait`, rate)),
      claimRow(`FetchTask, ${CLAIMERS} fetchers, ${show(SIZES[0])} jobs wait`, fetched),
      ...(gitea ? [claimRow('Gitea, the same', gitea.all), claimRow('Gitea, 1 fetcher', gitea.one)] : []),
    ]);
    const [small, large] = SIZES.map((size) => show(rates.get(size)?.perSecond ?? 0));
    const best = gitea && fetched.perSecond / Math.max(gitea.all.perSecond, gitea.one.perSecond);
    return `${large} claims/s with ${show(SIZES[1])} jobs waiting (${small} with ${show(SIZES[0])}); ${show(fetched.perSecond)} through FetchTask${best ? `, ${show(best)} times Gitea's best` : ''}`;
  } finally {
    generator.stop();
  }
}

async function claimDirectly(): Promise<ReadonlyMap<number, ClaimRate>> {
  const folder = await mkdtemp(join(tmpdir(), 'triphammer-bench-'));
  await chmod(folder, 0o755);
  const server = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), parameters: PARAMETERS, log: () => undefined });
  const dataSource = await createDataSource({ url: server.url(), poolSize: 20, applicationName: 'bench' }).initialize();
  try {
    await migrate(dataSource);
    const rates = new Map<number, ClaimRate>();
    for (const size of SIZES) {
      const rounds: ClaimRate[] = [];
      for (let round = 0; round < ROUNDS; round += 1) rounds.push(await drain(dataSource, size));
      rates.set(size, medianOf(rounds));
    }
    return rates;
  } finally {
    await dataSource.destroy();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

/** Claims a queue of this size to its end, one transaction after the other, as the one loop of a dispatcher does. */
async function drain(dataSource: DataSource, size: number): Promise<ClaimRate> {
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

function medianOf(rounds: readonly ClaimRate[]): ClaimRate {
  const of = (name: keyof ClaimRate) => median(rounds.map((round) => round[name]));
  return { perSecond: of('perSecond'), cpuMicroseconds: of('cpuMicroseconds'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms') };
}

/** The whole way: authentication, claim, payload, job token, and what the outbox sets off beside it. */
async function claimThroughFetchTask(generator: LoadGenerator, seconds: number): Promise<ClaimRate> {
  const shipped = await startShipped();
  try {
    const runners = await addRunners(shipped.dataSource, CLAIMERS, 'linux');
    await addWaitingJobs(shipped.dataSource, SIZES[0], 'linux');
    const polls = runners.map((runner) => fetchTaskPoll(runner, TIMEOUT_MS, 1n));
    const target = { roots: [shipped.pid], load: { url: shipped.url + FETCH_TASK_PATH, polls } };
    await measureClaims(generator, target, WARM_UP_SECONDS);
    // Plans made for empty tables read them from end to end; a minute later autovacuum would see to that.
    await poolOf(shipped.dataSource).query('analyze');
    return await measureClaims(generator, target, seconds);
  } finally {
    await shipped.stop();
  }
}
