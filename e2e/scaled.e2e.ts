import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Installation } from './harness/installation';
import type { ManagedProcess } from './harness/managed-process';
import { PlainGitForge } from './harness/plain-git';
import { startRunner } from './harness/stock-runner';
import { describeCloning } from './scenarios/clone-own-repository';
import { describeGiteaForge } from './scenarios/gitea-forge';
import { describeLiveTail } from './scenarios/live-tail';
import { describePlainWorkflows } from './scenarios/plain-workflows';
import { describeCrashes } from './scenarios/survive-crashes';
import { describeWaitingReasons } from './scenarios/waiting-reasons';
import { startScaled } from './topologies/scaled';

let installation: Installation;
let forge: PlainGitForge;
let runner: ManagedProcess;

beforeAll(async () => {
  installation = await startScaled();
  forge = await PlainGitForge.connect(installation);
  runner = await startRunner(installation, { name: 'runner-1', labels: ['linux:host'] });
}, 120_000);
afterAll(async () => {
  await runner?.stop();
  await installation?.stop();
}, 60_000);

const CRASHING = [
  'event-ingest',
  'workflow-detector',
  'task-dispatcher',
  'task-dispatcher-2',
  'log-archiver',
  'log-archiver-2',
  'status-reporter',
  'console',
  'postgres',
  'nats',
  'redis',
  's3',
  'gateway',
];

describe('every service its own process, a plain git repository and a stock runner', () => {
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
  describeCrashes(
    () => installation,
    () => forge,
    CRASHING,
  );
});

describeGiteaForge(() => installation);
