import { setTimeout as pause } from 'node:timers/promises';
import { fromBinary } from '@bufbuild/protobuf';
import { transaction } from '@triphammer/models';
import { FetchTaskResponseSchema } from '@triphammer/runner-rpc';
import { startRun } from '@triphammer/runs';
import { makeRepository, newJob } from '@triphammer/testing';
import type { DataSource } from 'typeorm';
import { FETCH_TASK_PATH, fetchTaskPoll } from './fetch-task-poll';
import type { Poll } from './load';
import { addRunners, EVENT } from './seed';
import { startShipped } from './shipped';
import { percentile } from './statistics';
import { printTable, show } from './table';

const JOBS = 200;
const TIMEOUT_MS = 30_000;

/** From a job's commit to its arrival at the one runner whose poll is held for it. */
export async function pickup(): Promise<string> {
  const shipped = await startShipped();
  try {
    const [runner] = await addRunners(shipped.dataSource, 1, 'linux');
    if (!runner) throw new Error('there is no runner');
    const poll = fetchTaskPoll(runner, TIMEOUT_MS, 1n);
    const delaysMs: number[] = [];
    for (let number = 1; number <= JOBS; number += 1) {
      const arrival = receiveTask(shipped.url + FETCH_TASK_PATH, poll);
      // Time for the poll to be held, and never in step with what the process repeats.
      await pause(30 + Math.random() * 70);
      const committing = await queueJob(shipped.dataSource, number);
      delaysMs.push((await arrival) - committing);
    }
    const [p50, p95] = [percentile(delaysMs, 0.5), percentile(delaysMs, 0.95)];
    printTable([{ 'jobs, one after the other': JOBS, 'p50 ms': p50, 'p95 ms': p95, 'max ms': Math.max(...delaysMs) }]);
    return `${show(p50)} ms from a job's commit to its runner, median (95 %: ${show(p95)} ms)`;
  } finally {
    await shipped.stop();
  }
}

/** When the task was there. */
async function receiveTask(url: string, { headers, body }: Poll): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers, body: Buffer.from(body) });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const arrived = performance.now();
  if (!fromBinary(FetchTaskResponseSchema, bytes).task) throw new Error('the poll ended without a task');
  return arrived;
}

/** When the commit began that made it claimable. */
async function queueJob(dataSource: DataSource, number: number): Promise<number> {
  const { id: repositoryId, ownerId } = await makeRepository(dataSource);
  const facts = { workflow: 'ci.yml', workflowFolder: '.gitea/workflows', workflowName: 'ci', title: 'a commit', event: 'push', ref: EVENT.ref, actor: 'dev' };
  const run = { ...facts, repositoryId, ownerId, deliveryId: number, eventPayload: EVENT, sha: 'a'.repeat(40), jobs: [newJob('build')] };
  return transaction(dataSource, async (tx) => {
    await startRun(tx, run, new Date());
    return performance.now();
  });
}
