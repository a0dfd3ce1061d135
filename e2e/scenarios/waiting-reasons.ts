import { writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { Installation } from '../harness/installation';
import type { PlainGitForge } from '../harness/plain-git';
import { startRunner } from '../harness/stock-runner';
import { until } from '../harness/until';

const WORKFLOW = `
name: waiting
on: push
jobs:
  first:
    runs-on: slow
    steps:
      - run: while [ ! -e GATE ]; do sleep 0.2; done
  second:
    runs-on: slow
    steps:
      - run: echo second
  third:
    needs: first
    runs-on: slow
    steps:
      - run: echo third
  nowhere:
    runs-on: [slow, gpu]
    steps:
      - run: echo nowhere
`;

/** Each job that waits says why, and a runner that comes changes it. */
export function describeWaitingReasons(installation: () => Installation, forge: () => PlainGitForge): void {
  it('says of each waiting job whether labels, busy runners or needs hold it up', async () => {
    const gate = `${installation().workFolder}/gate`;
    const slow = await startRunner(installation(), { name: 'slow-1', labels: ['slow:host'] });
    const repository = 'acme/waiting';
    const run = await forge().pushWorkflow(repository, WORKFLOW.replace('GATE', gate));
    const reasons = async () => Object.fromEntries((await forge().api.jobs(repository, run.id)).map((job) => [job.name, job.waiting?.code ?? job.state]));

    await until('the first job to run', 30_000, async () => ((await reasons())['first'] === 'running' ? true : undefined));
    const jobs = await forge().api.jobs(repository, run.id);

    expect(await reasons()).toEqual({ first: 'running', second: 'RUNNERS_BUSY', third: 'NEEDS_NOT_DONE', nowhere: 'LABELS_MISSING' });
    expect(jobs.find((job) => job.name === 'nowhere')?.waiting?.text).toContain('slow-1 lacks gpu');

    const gpu = await startRunner(installation(), { name: 'gpu-1', labels: ['slow:host', 'gpu:host'] });
    await writeFile(gate, '');
    const ended = await forge().finished(repository, run);
    expect(ended.jobs.map((job) => job.state)).toEqual(['success', 'success', 'success', 'success']);
    await Promise.all([slow.stop(), gpu.stop()]);
  });
}
