import { fromBinary } from '@bufbuild/protobuf';
import { FetchTaskResponseSchema } from '@triphammer/runner-rpc';
import { type ClaimRate, measureClaims } from './claim-rate';
import { FETCH_TASK_PATH, fetchTaskPoll } from './fetch-task-poll';
import type { LoadGenerator } from './load';
import { type GiteaPeer, startGitea } from './peer-gitea';
import { measurePolls, type PollRate, type Target } from './poll-rate';
import type { RunnerCredentials } from './seed';

const TIMEOUT_MS = 5_000;
/** Where Gitea goes through its queue, it answers so seldom that it takes this long to count. */
const QUEUE_SECONDS = 30;

/** The idle load, with that many jobs waiting for others: from runners whose version is up to date, and from runners that ask for sure. */
export async function giteaPolls(
  generator: LoadGenerator,
  connections: number,
  waiting: number,
  seconds: number,
): Promise<{ upToDate: PollRate; asking: PollRate }> {
  return withGitea(async (gitea) => {
    const runners = await gitea.registerRunners(connections, 'linux');
    await gitea.addWaitingJobs(waiting, 'windows');
    const version = await currentVersion(gitea.url, runners[0] as RunnerCredentials);
    await measurePolls(generator, target(gitea, runners, version), seconds);
    return {
      upToDate: await measurePolls(generator, target(gitea, runners, version), seconds * 2),
      asking: await measurePolls(generator, target(gitea, runners, 0n), QUEUE_SECONDS),
    };
  });
}

/** Claims from a queue of this size by one fetcher, and then by all. */
export async function giteaClaims(generator: LoadGenerator, fetchers: number, waiting: number): Promise<{ one: ClaimRate; all: ClaimRate }> {
  return withGitea(async (gitea) => {
    const runners = await gitea.registerRunners(fetchers, 'linux');
    await gitea.addWaitingJobs(waiting, 'linux');
    return {
      one: await measureClaims(generator, target(gitea, runners.slice(0, 1), 0n), QUEUE_SECONDS),
      all: await measureClaims(generator, target(gitea, runners, 0n), QUEUE_SECONDS),
    };
  });
}

async function withGitea<Result>(work: (gitea: GiteaPeer) => Promise<Result>): Promise<Result> {
  const gitea = await startGitea();
  try {
    return await work(gitea);
  } finally {
    await gitea.stop();
  }
}

function target({ url, roots }: GiteaPeer, runners: readonly RunnerCredentials[], tasksVersion: bigint): Target {
  return { roots, load: { url: url + FETCH_TASK_PATH, polls: runners.map((runner) => fetchTaskPoll(runner, TIMEOUT_MS, tasksVersion)) } };
}

/** As a runner learns it: from the answer to a poll. */
async function currentVersion(url: string, runner: RunnerCredentials): Promise<bigint> {
  const { headers, body } = fetchTaskPoll(runner, TIMEOUT_MS, 0n);
  const response = await fetch(url + FETCH_TASK_PATH, { method: 'POST', headers, body: Buffer.from(body) });
  return fromBinary(FetchTaskResponseSchema, new Uint8Array(await response.arrayBuffer())).tasksVersion;
}
