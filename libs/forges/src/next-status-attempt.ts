const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 60 * 60_000;
/** With the waits above: about three days. */
const MAX_ATTEMPTS = 80;

/**
 * When to tell a forge again after `attempts` failures: as it asked, otherwise after 5 s, doubling up to an hour. Null: never,
 * because it cannot help or was tried long enough.
 */
export function nextStatusAttempt(attempts: number, failed: { readonly isFinal: boolean; readonly retryAfterMs: number | null }, now: Date): Date | null {
  if (failed.isFinal || attempts >= MAX_ATTEMPTS) return null;
  const wait = failed.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (attempts - 1);
  return new Date(now.getTime() + Math.min(wait, LONGEST_WAIT_MS));
}
