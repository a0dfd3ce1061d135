import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Failure } from '@triphammer/foundation';
import { Result, type StepState, type UpdateTaskRequest } from '@triphammer/runner-rpc';
import type { ReportedStep, TaskReport } from '@triphammer/runs';

const RESULTS = {
  [Result.SUCCESS]: 'success',
  [Result.FAILURE]: 'failure',
  [Result.CANCELLED]: 'cancelled',
  [Result.SKIPPED]: 'skipped',
} as const;

/** An UpdateTask request as a report; `invalid-input` when it holds no state. */
export function decodeTaskState(request: UpdateTaskRequest): TaskReport {
  const { state } = request;
  if (!state) throw new Failure('invalid-input', 'UpdateTask came without a state.');
  return {
    taskId: Number(state.id),
    result: decodeResult(state.result),
    startedAt: decodeTime(state.startedAt),
    stoppedAt: decodeTime(state.stoppedAt),
    steps: state.steps.map(decodeStep),
    outputs: request.outputs,
  };
}

function decodeStep(step: StepState): ReportedStep {
  const startedAt = decodeTime(step.startedAt);
  const status = decodeResult(step.result) ?? (startedAt ? 'running' : 'waiting');
  return {
    index: Number(step.id),
    status,
    startedAt,
    stoppedAt: decodeTime(step.stoppedAt),
    logIndex: Number(step.logIndex),
    logLength: Number(step.logLength),
  };
}

function decodeResult(result: Result): (typeof RESULTS)[keyof typeof RESULTS] | undefined {
  return RESULTS[result as keyof typeof RESULTS];
}

/** Go sends its zero time, the year 1, for "not yet". */
function decodeTime(time: Timestamp | undefined): Date | null {
  return time && time.seconds > 0n ? timestampDate(time) : null;
}
