import { expect, it } from '@jest/globals';
import type { Installation } from '../harness/installation';
import type { ManagedProcess } from '../harness/managed-process';
import type { PlainGitForge } from '../harness/plain-git';
import { until } from '../harness/until';
import { numbers, sequenceIn } from './plain-workflows';

/** A job that prints for six seconds and passes an output on. */
const WORKFLOW = `
name: crash
on: push
jobs:
  print:
    runs-on: linux
    outputs:
      sum: \${{ steps.sum.outputs.sum }}
    steps:
      - run: for i in $(seq 1 60); do echo "tick $i"; sleep 0.1; done
      - id: sum
        run: echo "sum=1830" >> "$GITHUB_OUTPUT"
  use:
    needs: print
    runs-on: linux
    steps:
      - run: echo "sum ${'${{ needs.print.outputs.sum }}'}"
`;

/** Kills each process of the installation in turn while a step prints, and starts it again: the run ends as if nothing had been. */
export function describeCrashes(installation: () => Installation, forge: () => PlainGitForge, names: readonly string[]): void {
  it.each(names)('loses nothing of a run when %s is killed while a step prints', async (name) => {
    const repository = `acme/crash-${name}`;
    const run = await forge().pushWorkflow(repository, WORKFLOW);
    const { id } = await until('the printing job to run', 60_000, async () =>
      (await forge().api.jobs(repository, run.id)).find((job) => job.name === 'print' && job.state === 'running'),
    );
    await until('its first rows', 30_000, async () => ((await forge().api.log(repository, id)).includes('tick 1') ? true : undefined));

    await crash(installation(), name);
    const { run: ended, jobs } = await forge().finished(repository, run);

    expect(jobs.map((job) => [job.name, job.state])).toEqual([
      ['print', 'success'],
      ['use', 'success'],
    ]);
    expect(ended.state).toBe('success');
    expect(sequenceIn(await forge().api.log(repository, id), 'tick ')).toEqual(numbers(1, 60));
    expect(await forge().api.log(repository, jobs.find((job) => job.name === 'use')?.id ?? 0)).toContain('sum 1830');
  });

  it('runs a job once whose dispatcher is killed between its claim and the first report', async () => {
    const repository = 'acme/crash-at-claim';
    const run = await forge().pushWorkflow(repository, WORKFLOW);
    await until('the printing job to be claimed', 60_000, async () => ((await forge().api.run(repository, run.id)).state === 'running' ? true : undefined));

    for (const name of names.filter((each) => each.startsWith('task-dispatcher'))) await crash(installation(), name);
    const { run: ended, jobs } = await forge().finished(repository, run);

    expect(ended.state).toBe('success');
    const log = await forge().api.log(repository, jobs.find((job) => job.name === 'print')?.id ?? 0);
    expect(sequenceIn(log, 'tick ')).toEqual(numbers(1, 60));
  });
}

async function crash(installation: Installation, name: string): Promise<void> {
  const process = installation.processes.get(name) as ManagedProcess;
  await process.kill();
  await process.start();
}
