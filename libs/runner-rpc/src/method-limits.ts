/** How much of a request is read. */
export interface MethodLimits {
  /** Bytes of the body, as sent and again after gunzip. Beyond it the call is refused, never with 413. */
  readonly bodyBytes: number;
  /** Fields and list entries of the outermost binary message. What stands behind them is left out without a word. */
  readonly records: number;
}

const MIB = 1_048_576;

const DEFAULT_LIMITS: MethodLimits = { bodyBytes: 32 * MIB, records: Number.POSITIVE_INFINITY };

const LIMITS: Readonly<Record<string, MethodLimits>> = {
  // A runner sends a line as one row whatever its size (3 MB were seen), collects rows while it cannot reach the server, and
  // repeats a refused batch for ever, so nothing after it arrives. 256 MiB are hours of a loud job. Rows beyond the first
  // 100,000 would cost gigabytes as objects: they stay unread, hence unacknowledged, and the runner sends them again.
  'runner.v1.RunnerService/UpdateLog': { bodyBytes: 256 * MIB, records: 100_000 },
};

/** @param procedure for example `runner.v1.RunnerService/UpdateLog` */
export function limitsOf(procedure: string): MethodLimits {
  return LIMITS[procedure] ?? DEFAULT_LIMITS;
}
