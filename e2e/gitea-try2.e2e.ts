import { afterAll, beforeAll } from '@jest/globals';
import type { Installation } from './harness/installation';
import { describeGiteaForge } from './scenarios/gitea-forge';
import { startScaled } from './topologies/scaled';

let installation: Installation;
beforeAll(async () => {
  installation = await startScaled();
}, 120_000);
afterAll(async () => {
  await installation?.stop();
}, 60_000);
describeGiteaForge(() => installation);
