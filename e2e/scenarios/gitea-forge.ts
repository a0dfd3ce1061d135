import { afterAll, afterEach, beforeAll, describe } from '@jest/globals';
import { ConnectedGitea } from '../harness/connected-gitea';
import { GiteaForge } from '../harness/gitea-forge';
import type { Installation } from '../harness/installation';
import type { ManagedProcess } from '../harness/managed-process';
import { startRunner } from '../harness/stock-runner';
import { describeGiteaClones } from './gitea-clones';
import { describeGiteaShapes } from './gitea-shapes';
import { describeGiteaStatuses } from './gitea-statuses';
import { describeGiteaWebhooks } from './gitea-webhooks';

/** A real Gitea as the forge, with a stock runner of its own: from `git push` to the statuses that Gitea shows. */
export function describeGiteaForge(installation: () => Installation): void {
  describe('a Gitea whose Actions are off', () => {
    let gitea: GiteaForge;
    let forge: ConnectedGitea;
    let runner: ManagedProcess;

    beforeAll(async () => {
      gitea = await GiteaForge.start(`${installation().workFolder}/gitea`);
      forge = await ConnectedGitea.connect(installation(), gitea);
      runner = await startRunner(installation(), { name: 'gitea-runner', labels: ['gitea-jobs:host'] });
    }, 120_000);
    afterEach(() => forge.openGates());
    afterAll(async () => {
      await runner?.stop();
      await gitea?.process.stop();
    }, 60_000);

    describeGiteaStatuses(installation, () => forge);
    describeGiteaWebhooks(() => forge);
    describeGiteaClones(installation, () => forge);
    describeGiteaShapes(() => gitea, installation);
  });
}
