import { cpuSeconds } from './process-tree';
import type { LoadGenerator } from './load';
import type { Target } from './poll-rate';
import { percentile } from './statistics';

export interface ClaimRate {
  readonly perSecond: number;
  readonly cpuMicroseconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Tasks that the target hands out to those who poll it all the time. Answers without one count for the latencies alone. */
export async function measureClaims(generator: LoadGenerator, { roots, load }: Target, seconds: number): Promise<ClaimRate> {
  const before = cpuSeconds(roots);
  const { tasks, failures, failure, latenciesMs } = await generator.run({ ...load, seconds });
  const spent = cpuSeconds(roots) - before;
  if (failures > tasks) throw new Error(`${load.url}: ${tasks} tasks, ${failures} failures, the first: ${failure}`);
  return {
    perSecond: tasks / seconds,
    cpuMicroseconds: (spent / tasks) * 1_000_000,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  };
}

export function claimRow(way: string, rate: ClaimRate): Record<string, string | number> {
  return { way, 'claims/s': rate.perSecond, 'CPU us each': rate.cpuMicroseconds, 'p50 ms': rate.p50Ms, 'p99 ms': rate.p99Ms };
}
