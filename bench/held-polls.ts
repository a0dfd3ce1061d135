import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../e2e/harness/until';
import { FETCH_TASK_PATH, fetchTaskPoll } from './fetch-task-poll';
import type { LoadGenerator } from './load';
import { cpuSeconds, memoryBytes } from './process-tree';
import { addRunners } from './seed';
import type { Shipped } from './shipped';
import { printTable } from './table';

const HELD = 10_000;
const TIMEOUT_MS = 60_000;
/** All within one hold, which lasts 50 seconds: none of them polls twice. */
const RAMP_SECONDS = 15;
const LATE_SECONDS = 15;
const WATCH_SECONDS = 15;

/** Memory and CPU of one process, Postgres included, that holds the polls of 10,000 runners. */
export async function holdPolls(generator: LoadGenerator, shipped: Shipped): Promise<void> {
  const roots = [shipped.pid];
  const runners = await addRunners(shipped.dataSource, HELD, 'linux');
  await pause(2_000);
  const start = { cpu: cpuSeconds(roots), memory: memoryBytes(roots) };
  const load = generator.run({
    url: shipped.url + FETCH_TASK_PATH,
    polls: runners.map((runner) => fetchTaskPoll(runner, TIMEOUT_MS, 1n)),
    seconds: RAMP_SECONDS + LATE_SECONDS + WATCH_SECONDS,
    rampSeconds: RAMP_SECONDS,
  });
  await until(`${HELD} held polls`, (RAMP_SECONDS + LATE_SECONDS) * 1_000, async () =>
    (await shipped.metric('triphammer_sched_held_polls')) >= HELD ? true : undefined,
  );
  const held = { cpu: cpuSeconds(roots), memory: memoryBytes(roots) };
  await pause(WATCH_SECONDS * 1_000);
  const watched = cpuSeconds(roots) - held.cpu;
  const { failures, failure } = await load;
  if (failures > 0) throw new Error(`${failures} of the held polls failed, the first: ${failure}`);
  printTable([
    {
      'held polls': HELD,
      'MiB before': start.memory / 2 ** 20,
      'MiB held': held.memory / 2 ** 20,
      'KiB each': (held.memory - start.memory) / HELD / 2 ** 10,
      'CPU ms to take one': ((held.cpu - start.cpu) / HELD) * 1_000,
      '% of a core while held': (watched / WATCH_SECONDS) * 100,
    },
  ]);
}
