import { transaction } from '@triphammer/models';
import { type CallContext, type DeclareRequest, type PingRequest, type RegisterRequest, RunnerStatus } from '@triphammer/runner-rpc';
import { declareRunner, registerRunner, type Runner } from '@triphammer/runs';
import type { DataSource } from 'typeorm';
import type { DispatchDesk } from '../dispatch-desk';
import { authenticate } from '../runner-headers';

interface Deps {
  readonly desk: DispatchDesk;
  readonly dataSource: DataSource;
  readonly now: () => Date;
}

export async function ping(request: PingRequest) {
  return { data: `Hello, ${request.data}!` };
}

/** Makes the runner; the answer carries its token this once. */
export function register({ dataSource, now }: Deps) {
  return async (request: RegisterRequest) => {
    const labels = request.labels.length > 0 ? request.labels : [...request.agentLabels, ...request.customLabels];
    const { token, name, version, ephemeral, capabilities } = request;
    const made = await transaction(dataSource, (tx) => registerRunner(tx, { token, name, version, ephemeral, capabilities, labels }, now()));
    return { runner: { ...encodeRunner(made.runner), token: made.token } };
  };
}

/** Replaces the runner's version, labels and capabilities. */
export function declare({ desk, dataSource, now }: Deps) {
  return async (request: DeclareRequest, context: CallContext) => {
    const { id } = await authenticate(desk.runners, context.headers);
    const { version, labels, capabilities } = request;
    const runner = await transaction(dataSource, (tx) => declareRunner(tx, id, { version, labels, capabilities }, now()));
    // The hint reaches the other replicas; here the next poll must see the new labels already.
    desk.runners.forget(id);
    return { runner: encodeRunner(runner) };
  };
}

function encodeRunner(runner: Runner) {
  const { uuid, name, version, labels, ephemeral } = runner;
  return { id: BigInt(runner.id), uuid, name, version, labels, ephemeral, status: RunnerStatus.IDLE };
}
