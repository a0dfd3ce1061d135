import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Installation } from './harness/installation';
import type { ManagedProcess } from './harness/managed-process';
import { PlainGitForge } from './harness/plain-git';
import { startRunner } from './harness/stock-runner';
import { describeCloning } from './scenarios/clone-own-repository';
import { describeGiteaForge } from './scenarios/gitea-forge';
import { describeLiveTail } from './scenarios/live-tail';
import { describePlainWorkflows, numbers, sequenceIn } from './scenarios/plain-workflows';
import { describeWaitingReasons } from './scenarios/waiting-reasons';
import { until } from './harness/until';
import { startSingle } from './topologies/single';

let installation: Installation;
let forge: PlainGitForge;
let runner: ManagedProcess;

beforeAll(async () => {
  installation = await startSingle();
  forge = await PlainGitForge.connect(installation);
  runner = await startRunner(installation, { name: 'runner-1', labels: ['linux:host'] });
}, 120_000);
afterAll(async () => {
  await runner?.stop();
  await installation?.stop();
});

describe('one process, a plain git repository and a stock runner', () => {
  describePlainWorkflows(() => forge);
  describeCloning(
    () => installation,
    () => forge,
  );
  describeLiveTail(
    () => installation,
    () => forge,
  );
  describeWaitingReasons(
    () => installation,
    () => forge,
  );

  it('ends a run right that was under way when the process was killed', async () => {
    const workflow =
      'name: kill\non: push\njobs:\n  print:\n    runs-on: linux\n    steps:\n      - run: for i in $(seq 1 60); do echo "tick $i"; sleep 0.1; done\n';
    const repository = 'acme/killed';
    const run = await forge.pushWorkflow(repository, workflow);
    const product = installation.processes.get('triphammer') as ManagedProcess;
    await untilRunning(repository, run.id);

    await product.kill();
    await product.start();
    const { run: ended, jobs } = await forge.finished(repository, run);

    expect(ended.state).toBe('success');
    expect(sequenceIn(await forge.api.log(repository, jobs[0]?.id ?? 0), 'tick ')).toEqual(numbers(1, 60));
  });
});

describeGiteaForge(() => installation);

async function untilRunning(repository: string, runId: number): Promise<void> {
  await until('the job to run', 30_000, async () => ((await forge.api.run(repository, runId)).state === 'running' ? true : undefined));
}
