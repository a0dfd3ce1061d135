import { afterAll, beforeAll, jest } from '@jest/globals';
import type { Installation } from './harness/installation';
import { ManagedProcess } from './harness/managed-process';
import { describeGiteaForge } from './scenarios/gitea-forge';
import { startSingle } from './topologies/single';

let installation: Installation;
beforeAll(async () => {
  const original = ManagedProcess.prototype.start;
  ManagedProcess.prototype.start = function (this: ManagedProcess) {
    if (this.spec.name === 'triphammer') (this.spec.args as string[])[0] = `e2e/mut.tmp/main.${process.env['MUT']}.js`;
    return original.call(this);
  };
  installation = await startSingle();
}, 120_000);
afterAll(async () => {
  await installation?.stop();
});
describeGiteaForge(() => installation);
