import { setTimeout as pause } from 'node:timers/promises';
import { poolOf } from '@triphammer/models';
import type { DataSource } from 'typeorm';
import { startBareRoute } from './bare-route';
import { giteaPolls } from './beside-gitea';
import { FETCH_TASK_PATH, fetchTaskPoll } from './fetch-task-poll';
import { holdPolls } from './held-polls';
import { LoadGenerator } from './load';
import { measurePolls, medianRate, type PollRate, rateRow, type Target } from './poll-rate';
import { addRunners, addWaitingJobs } from './seed';
import { startShipped } from './shipped';
import { median } from './statistics';
import { printTable, show } from './table';

const CONNECTIONS = 64;
const WAITING = 10_000;
const ROUNDS = 5;
/** V8 needs some ten thousand calls until its code is what a process runs that has been up for a while. */
const WARM_UP_SECONDS = 10;
/** No hold: half a second is what an answer is given for its way back. */
const TIMEOUT_MS = 500;
/** Longer than every period of the process, so that each query it repeats falls into the time. */
const PERIOD_SECONDS = 35;

/** What runners cost that find nothing: polls per CPU-second beside a bare Fastify route, and then 10,000 held ones. */
export async function fetchIdle(seconds: number, besideGitea: boolean): Promise<string> {
  const shipped = await startShipped();
  const generator = new LoadGenerator();
  try {
    const runners = await addRunners(shipped.dataSource, CONNECTIONS, 'linux');
    const polls = runners.map((runner) => fetchTaskPoll(runner, TIMEOUT_MS, 1n));
    const ours: Target = { roots: [shipped.pid], load: { url: shipped.url + FETCH_TASK_PATH, polls } };
    const empty = await compare(generator, ours, seconds);
    const unloaded = await transactionsPerSecond(shipped.dataSource, () => pause(PERIOD_SECONDS * 1_000));
    await addWaitingJobs(shipped.dataSource, WAITING, 'windows');
    const full = await compare(generator, ours, seconds);
    const loaded = await transactionsPerSecond(shipped.dataSource, () => generator.run({ ...ours.load, seconds: PERIOD_SECONDS }));
    const gitea = besideGitea ? await giteaPolls(generator, CONNECTIONS, WAITING, seconds) : undefined;
    printTable([
      rateRow('triphammer, nothing waits', empty.ours),
      rateRow('bare Fastify route', empty.bare),
      rateRow(`triphammer, ${show(WAITING)} wait for others`, full.ours),
      rateRow('bare Fastify route', full.bare),
      ...(gitea ? [rateRow('Gitea, version up to date', gitea.upToDate), rateRow('Gitea, asking for sure', gitea.asking)] : []),
    ]);
    printTable([{ 'transactions/s': 'of Postgres', unloaded, 'under load': loaded, more: loaded - unloaded }]);
    await holdPolls(generator, shipped);
    const beside = gitea ? `; ${show(full.ours.perCpuSecond / gitea.upToDate.perCpuSecond)} times Gitea's polls per CPU-second` : '';
    return `${show(Math.min(empty.ratio, full.ratio))} of a bare Fastify route (${show(empty.ratio)} with nothing waiting, ${show(full.ratio)} with ${show(WAITING)} waiting for others)${beside}`;
  } finally {
    generator.stop();
    await shipped.stop();
  }
}

/** Turn and turn about, because what else the machine does changes by the second. */
async function compare(generator: LoadGenerator, ours: Target, seconds: number): Promise<{ ratio: number; ours: PollRate; bare: PollRate }> {
  const bare = await startBareRoute(ours);
  const rounds: { ours: PollRate; bare: PollRate }[] = [];
  try {
    for (const target of [ours, bare]) await measurePolls(generator, target, WARM_UP_SECONDS);
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.push({ ours: await measurePolls(generator, ours, seconds), bare: await measurePolls(generator, bare, seconds) });
    }
  } finally {
    await bare.stop();
  }
  return {
    ratio: median(rounds.map((round) => round.ours.perCpuSecond / round.bare.perCpuSecond)),
    ours: medianRate(rounds.map((round) => round.ours)),
    bare: medianRate(rounds.map((round) => round.bare)),
  };
}

/** As Postgres counts them itself, committed and rolled back. It hears of them up to a second late. */
async function transactionsPerSecond(dataSource: DataSource, work: () => Promise<unknown>): Promise<number> {
  const before = await countTransactions(dataSource);
  const begun = performance.now();
  await work();
  const elapsed = (performance.now() - begun) / 1_000;
  return ((await countTransactions(dataSource)) - before) / elapsed;
}

async function countTransactions(dataSource: DataSource): Promise<number> {
  const counted = await poolOf(dataSource).query<{ count: number }>(
    'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
  );
  return counted.rows[0]?.count ?? 0;
}
