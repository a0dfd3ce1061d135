import { afterAll, beforeAll } from '@jest/globals';
import type { Installation } from './harness/installation';
import { describeGiteaForge } from './scenarios/gitea-forge';
import { startSingle } from './topologies/single';

let installation: Installation;
beforeAll(async () => {
  installation = await startSingle();
}, 120_000);
afterAll(async () => {
  const { readFileSync, writeFileSync } = await import('node:fs');
  writeFileSync('/tmp/try-single.log', installation.processes.get('triphammer')!.log());
  writeFileSync('/tmp/try-gitea.log', readFileSync(installation.workFolder + '/gitea/gitea.log'));
  await installation?.stop();
});
describeGiteaForge(() => installation);
