import type { IncomingHttpHeaders } from 'node:http';
import { Failure } from '@triphammer/foundation';
import type { RunnerDirectory, RunnerIdentity } from '@triphammer/runs';

/** The runner whose uuid and token the call carries; from memory when it called lately. */
export function authenticate(directory: RunnerDirectory, headers: IncomingHttpHeaders): RunnerIdentity | Promise<RunnerIdentity> {
  const { 'x-runner-uuid': uuid, 'x-runner-token': token } = headers;
  if (typeof uuid !== 'string' || typeof token !== 'string') {
    throw new Failure('unauthenticated', 'The call names no runner: x-runner-uuid and x-runner-token are missing.');
  }
  return directory.recall(uuid, token) ?? directory.authenticate(uuid, token);
}
