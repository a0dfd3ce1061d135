import { Failure } from '@triphammer/foundation';
import { type LogBatch, logTime, logTimeOf } from '@triphammer/logs';
import type { UpdateLogRequest } from '@triphammer/runner-rpc';

/** The rows of a call; one without a time has the time of the call. */
export function decodeLogBatch(request: UpdateLogRequest, secrets: readonly string[], now: Date): LogBatch {
  if (request.index < 0n) throw new Failure('invalid-input', 'The index of a log row counts from 0.');
  const rows = request.rows.map(({ time, content }) => ({ time: time ? logTime(Number(time.seconds), time.nanos) : logTimeOf(now), content }));
  return { index: Number(request.index), rows, noMore: request.noMore, secrets };
}
