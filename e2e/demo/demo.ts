import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Job } from '../harness/api-client';
import { freePort } from '../harness/free-port';
import { type Installation, newSecret } from '../harness/installation';
import { ManagedProcess } from '../harness/managed-process';
import { PlainGitForge } from '../harness/plain-git';
import { startRunner } from '../harness/stock-runner';
import { answersOk, until } from '../harness/until';
import { readEvents } from '../harness/server-sent-events';

/**
 * `npm run demo`: makes a repository with a workflow of two jobs, starts the product (unless TRIPHAMMER_URL names a running
 * one) and a stock runner, pushes, and shows the jobs, their live log and the result. It ends with code 0 when the run
 * succeeded, and stops whatever it started.
 */
const WORKFLOW = `name: demo
on: push
jobs:
  build:
    runs-on: demo
    outputs:
      artifact: \${{ steps.pack.outputs.artifact }}
    steps:
      - name: Compile
        run: for i in 1 2 3 4 5 6; do echo "compiling part $i of 6"; sleep 1; done
      - name: Pack
        id: pack
        run: echo "artifact=demo-$GITHUB_RUN_NUMBER.tar" >> "$GITHUB_OUTPUT"
  ship:
    needs: build
    runs-on: demo
    steps:
      - name: Ship
        run: echo "shipping \${{ needs.build.outputs.artifact }} of $GITHUB_REPOSITORY"
`;

const REPOSITORY = 'demo/hello';
const RUNNER_NAMES = ['gitea-runner', 'act_runner', 'forgejo-runner'];

async function demo(): Promise<boolean> {
  const workFolder = await mkdtemp(join(tmpdir(), 'triphammer-demo-'));
  await chmod(workFolder, 0o755);
  const started: ManagedProcess[] = [];
  try {
    say('Looking for a stock runner.');
    process.env['GITEA_RUNNER'] = findRunner() ?? buildRunner();
    const installation = await findInstallation(workFolder, started);
    say(`Triphammer answers at ${installation.url}.`);
    const forge = await PlainGitForge.connect(installation, `demo-${Date.now()}`);
    started.push(await startRunner(installation, { name: 'demo-runner', labels: ['demo:host'] }));
    say('A runner with the label "demo" is registered. Pushing a repository with a workflow of two jobs.');
    const run = await forge.pushWorkflow(REPOSITORY, WORKFLOW);
    say(`The push started run ${run.run_number}: ${run.workflow_name}.`);
    await followRun(installation, forge, run.id);
    const ended = await forge.finished(REPOSITORY, run);
    for (const job of ended.jobs) say(`${mark(job.state)} ${job.name}: ${job.state}`);
    say(`The run ended: ${ended.run.state}.`);
    return ended.run.state === 'success';
  } finally {
    for (const process of started.reverse()) await process.stop();
    await rm(workFolder, { recursive: true, force: true });
  }
}

function findRunner(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return RUNNER_NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

function buildRunner(): string {
  say('None is on PATH: building the Gitea runner, unless it was built before.');
  execFileSync('tools/ci/install-tools.sh', ['gitea_runner'], { stdio: ['ignore', 'inherit', 'inherit'] });
  return execFileSync('bash', ['-c', '. tools/ci/tools.sh && printf %s "$GITEA_RUNNER"']).toString();
}

/** The installation at TRIPHAMMER_URL, with its tokens from the environment, or one of our own for as long as the demo lasts. */
async function findInstallation(workFolder: string, started: ManagedProcess[]): Promise<Installation> {
  const url = process.env['TRIPHAMMER_URL'];
  if (url) {
    const [adminToken, registrationToken] = [fromEnvironment('TRIPHAMMER_TOKEN'), fromEnvironment('TRIPHAMMER_REGISTRATION_TOKEN')];
    return { topology: 'single', url, adminToken, registrationToken, processes: new Map(), workFolder, stop: async () => undefined };
  }
  say('TRIPHAMMER_URL is not set: starting Triphammer.');
  return startProduct(workFolder, started);
}

async function startProduct(workFolder: string, started: ManagedProcess[]): Promise<Installation> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const [adminToken, registrationToken] = [newSecret(), newSecret()];
  const product = new ManagedProcess({
    name: 'triphammer',
    command: process.execPath,
    args: ['apps/triphammer/dist/main.js', 'serve'],
    env: { DATA_DIR: join(workFolder, 'data'), PORT: String(port), ADMIN_TOKEN: adminToken, REGISTRATION_TOKEN: registrationToken, LOG_LEVEL: 'warn' },
    logFile: join(workFolder, 'triphammer.log'),
    isReady: () => answersOk(`${url}/readyz`),
  });
  await product.start();
  started.push(product);
  return { topology: 'single', url, adminToken, registrationToken, processes: new Map(), workFolder, stop: async () => undefined };
}

function fromEnvironment(name: string): string {
  const value = process.env[name] ?? (process.env[`${name}_FILE`] && readFileSync(process.env[`${name}_FILE`] as string, 'utf8').trim());
  if (!value) throw new Error(`With TRIPHAMMER_URL, ${name} (or ${name}_FILE) must be set too.`);
  return value;
}

/** The live log of each job in turn, as its rows arrive. */
async function followRun(installation: Installation, forge: PlainGitForge, runId: number): Promise<void> {
  for (const name of ['build', 'ship']) {
    const job = await until(`the job ${name} to begin`, 120_000, async () =>
      begun((await forge.api.jobs(REPOSITORY, runId)).find((each) => each.name === name)),
    );
    if (job.state === 'skipped') continue;
    say(`▶ ${name} runs on ${job.runner_name ?? 'a runner'}`);
    const response = await forge.api.request('GET', `/repos/${REPOSITORY}/actions/jobs/${job.id}/logs/stream`, undefined, { accept: 'text/event-stream' });
    for await (const event of readEvents(response)) {
      if (event.name === 'end') break;
      if (event.name === 'row') process.stdout.write(`  ${name} │ ${(JSON.parse(event.data) as { content: string }).content}\n`);
    }
  }
}

function begun(job: Job | undefined): Job | undefined {
  return job && job.state !== 'blocked' && job.state !== 'waiting' ? job : undefined;
}

function mark(state: string): string {
  return state === 'success' ? '✔' : '✘';
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

demo().then(
  (isSuccess) => process.exit(isSuccess ? 0 : 1),
  (error: Error) => {
    process.stderr.write(`The demo failed: ${error.message}\n`);
    process.exit(1);
  },
);
