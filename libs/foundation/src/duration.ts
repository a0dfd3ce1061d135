import { Failure } from './failure';

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const ONE = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/y;

/**
 * Milliseconds of `250ms`, `30s`, `1h30m`, `14d`. A bare number has no unit and is refused, as is anything else:
 * a setting that cannot be read must never become "no limit".
 */
export function parseDuration(text: string): number {
  let at = 0;
  let total = 0;
  while (at < text.length) {
    ONE.lastIndex = at;
    const match = ONE.exec(text);
    if (!match) break;
    total += Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS];
    at = ONE.lastIndex;
  }
  if (at === 0 || at < text.length) {
    throw new Failure('invalid-input', `"${text}" is not a duration; write for example 250ms, 30s, 5m, 1h30m or 14d`);
  }
  return total;
}

/** Go's way of writing a duration, rounded to whole seconds: `45s`, `1m5s`, `2h0m3s`. Forges show it in commit statuses. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const h = Math.floor(seconds / 3_600);
  const m = Math.floor((seconds % 3_600) / 60);
  const s = seconds % 60;
  if (h > 0) return `${h}h${m}m${s}s`;
  return m > 0 ? `${m}m${s}s` : `${s}s`;
}
