import { cpuSeconds } from './process-tree';
import type { Load, LoadGenerator } from './load';
import { median, percentile } from './statistics';

/** A server under load, and the processes that its CPU time is spent in. */
export interface Target {
  readonly roots: readonly number[];
  readonly load: Omit<Load, 'seconds'>;
}

export interface PollRate {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A loaded server may refuse a poll; more than these were not measured. */
const FAILURES_ALLOWED = 0.01;

/** Polls for so long, and what it cost the target. Throws when the target refuses too many. */
export async function measurePolls(generator: LoadGenerator, { roots, load }: Target, seconds: number): Promise<PollRate> {
  const before = cpuSeconds(roots);
  const { answers, failures, failure, latenciesMs } = await generator.run({ ...load, seconds });
  const spent = cpuSeconds(roots) - before;
  if (answers === 0 || failures / answers > FAILURES_ALLOWED) throw new Error(`${load.url}: ${answers} answers, ${failures} failures, the first: ${failure}`);
  return { perSecond: answers / seconds, perCpuSecond: answers / spent, p50Ms: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99) };
}

export function medianRate(rates: readonly PollRate[]): PollRate {
  const of = (name: keyof PollRate) => median(rates.map((rate) => rate[name]));
  return { perSecond: of('perSecond'), perCpuSecond: of('perCpuSecond'), p50Ms: of('p50Ms'), p99Ms: of('p99Ms') };
}

export function rateRow(target: string, rate: PollRate): Record<string, string | number> {
  return { target, 'polls/CPU-s': rate.perCpuSecond, 'polls/s': rate.perSecond, 'p50 ms': rate.p50Ms, 'p99 ms': rate.p99Ms };
}
