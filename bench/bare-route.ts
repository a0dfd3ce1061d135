import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../e2e/harness/free-port';
import { ManagedProcess } from '../e2e/harness/managed-process';
import { FETCH_TASK_PATH } from './fetch-task-poll';
import type { Poll } from './load';
import type { Target } from './poll-rate';

/** A bare Fastify route in a process of its own, with the answer that the model gives to its first poll. */
export async function startBareRoute(model: Target): Promise<Target & { stop(): Promise<void> }> {
  const { polls } = model.load;
  const answer = await send(model.load.url, polls[0] as Poll);
  const folder = await mkdtemp(join(tmpdir(), 'triphammer-bare-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}${FETCH_TASK_PATH}`;
  const bare = new ManagedProcess({
    name: 'bare Fastify',
    command: process.execPath,
    args: ['-r', '@swc-node/register', require.resolve('./bare-fastify'), String(port), FETCH_TASK_PATH, answer.contentType, answer.bytes.toString('base64')],
    cwd: join(__dirname, '..'),
    logFile: join(folder, 'log'),
    isReady: async () => ((await send(url, polls[0] as Poll)).bytes.equals(answer.bytes) ? true : undefined),
  });
  await bare.start();
  return {
    roots: [bare.pid as number],
    load: { ...model.load, url },
    stop: async () => {
      await bare.stop();
      await rm(folder, { recursive: true });
    },
  };
}

async function send(url: string, { headers, body }: Poll): Promise<{ contentType: string; bytes: Buffer }> {
  const response = await fetch(url, { method: 'POST', headers, body: Buffer.from(body) });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return { contentType: response.headers.get('content-type') ?? '', bytes: Buffer.from(await response.arrayBuffer()) };
}
