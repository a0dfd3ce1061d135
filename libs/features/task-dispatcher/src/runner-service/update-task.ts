import { transaction } from '@triphammer/models';
import { type CallContext, Result, type UpdateTaskRequest } from '@triphammer/runner-rpc';
import { reportTask } from '@triphammer/runs';
import type { DataSource } from 'typeorm';
import { decodeTaskState } from '../decode-task-state';
import type { DispatchDesk } from '../dispatch-desk';
import { authenticate } from '../runner-headers';

/** Stores a runner's account of its task. The answer's result stays unspecified as long as the runner should go on. */
export function updateTask(deps: { readonly desk: DispatchDesk; readonly dataSource: DataSource; readonly now: () => Date }) {
  return async (request: UpdateTaskRequest, context: CallContext) => {
    const runner = await authenticate(deps.desk.runners, context.headers);
    deps.desk.noteCall(runner);
    const report = decodeTaskState(request);
    const answer = await transaction(deps.dataSource, (tx) => reportTask(tx, runner.id, report, deps.now()));
    return {
      state: { id: BigInt(report.taskId), result: answer.verdict === 'cancelled' ? Result.CANCELLED : Result.UNSPECIFIED },
      sentOutputs: [...answer.sentOutputs],
    };
  };
}
