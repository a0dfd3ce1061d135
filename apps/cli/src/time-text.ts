const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;

/** How long, in its two largest units: `1h 5m`, `12s`. */
export function durationText(ms: number): string {
  let seconds = Math.max(0, Math.floor(ms / 1_000));
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(seconds / size);
    if (count > 0) parts.push(`${count}${unit}`);
    seconds -= count * size;
  }
  return parts.slice(0, 2).join(' ') || '0s';
}

/** How long ago, in its largest unit: `3m ago`. */
export function ageText(time: string | undefined, now: Date): string {
  if (time === undefined) return 'never';
  const [largest = ''] = durationText(now.getTime() - new Date(time).getTime()).split(' ');
  return `${largest} ago`;
}

/** From the start to the end, or to now; empty for what has not begun. */
export function elapsedText(times: { readonly started_at?: string; readonly completed_at?: string }, now: Date): string {
  if (times.started_at === undefined) return '';
  const end = times.completed_at === undefined ? now : new Date(times.completed_at);
  return durationText(end.getTime() - new Date(times.started_at).getTime());
}
