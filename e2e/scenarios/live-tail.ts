import { expect, it } from '@jest/globals';
import { Result } from '@triphammer/runner-rpc';
import type { Installation } from '../harness/installation';
import type { PlainGitForge } from '../harness/plain-git';
import { registerScriptedRunner } from '../harness/scripted-runner';
import { readEvents } from '../harness/server-sent-events';

const WORKFLOW = 'name: tail\non: push\njobs:\n  print:\n    runs-on: tail\n    steps:\n      - run: echo\n';
const ROWS = 40;

/** A reader of a live log gets each row within a second of its acknowledgement, whichever replica took it in. */
export function describeLiveTail(installation: () => Installation, forge: () => PlainGitForge): void {
  it('shows a row to a reader of the live log within a second of its acknowledgement', async () => {
    const repository = 'acme/tail';
    const runner = await registerScriptedRunner(installation(), 'scripted', ['tail']);
    const run = await forge().pushWorkflow(repository, WORKFLOW);
    const { task } = await runner.fetchTask({}, { timeoutMs: 30_000 });
    const taskId = task?.id ?? 0n;
    await runner.updateTask({ state: { id: taskId } });
    const job = (await forge().api.jobs(repository, run.id))[0];
    const arrivals: number[] = [];
    const stream = await forge().api.request('GET', `/repos/${repository}/actions/jobs/${job?.id}/logs/stream`, undefined, { accept: 'text/event-stream' });
    const reader = (async () => {
      for await (const event of readEvents(stream)) {
        if (event.name === 'end') return;
        if (event.name === 'row') arrivals.push(performance.now());
      }
    })();

    const acknowledged: number[] = [];
    for (let index = 0; index < ROWS; index += 1) {
      const answer = await runner.updateLog({ taskId, index: BigInt(index), rows: [{ content: `row ${index}` }] });
      expect(answer.ackIndex).toBe(BigInt(index + 1));
      acknowledged.push(performance.now());
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await runner.updateLog({ taskId, index: BigInt(ROWS), rows: [], noMore: true });
    await runner.updateTask({ state: { id: taskId, result: Result.SUCCESS } });
    await reader;

    expect(arrivals).toHaveLength(ROWS);
    const late = arrivals.filter((at, index) => at - (acknowledged[index] ?? 0) > 1_000);
    expect(late).toEqual([]);
    expect((await forge().finished(repository, run)).run.state).toBe('success');
  });
}
