import { create, toBinary } from '@bufbuild/protobuf';
import { FetchTaskRequestSchema } from '@triphammer/runner-rpc';
import type { Poll } from './load';
import type { RunnerCredentials } from './seed';

export const FETCH_TASK_PATH = '/api/actions/runner.v1.RunnerService/FetchTask';

/** FetchTask as a stock runner sends it, see the headers of connect-go. */
export function fetchTaskPoll(runner: RunnerCredentials, timeoutMs: number, tasksVersion: bigint): Poll {
  return {
    headers: {
      'content-type': 'application/proto',
      'connect-protocol-version': '1',
      'accept-encoding': 'gzip',
      'user-agent': 'connect-go/1.20.0',
      'connect-timeout-ms': String(timeoutMs),
      'x-runner-uuid': runner.uuid,
      'x-runner-token': runner.token,
    },
    body: toBinary(FetchTaskRequestSchema, create(FetchTaskRequestSchema, { tasksVersion })),
  };
}
