import { expect, it } from '@jest/globals';
import type { ConnectedGitea } from '../harness/connected-gitea';
import { git } from '../harness/git';
import type { GiteaRepository } from '../harness/gitea-forge';
import type { Installation } from '../harness/installation';
import { logLines } from '../harness/log-lines';
import { until } from '../harness/until';
import { CLONE_SELF, everyEnd, gatedJob, oneJob, TAGGED } from './gitea-workflows';

const LIMIT_MS = 60_000;
const CI = '.gitea/workflows/ci.yml';
const CONTEXT = 'CI / build (push)';

/** What Gitea shows at the commit, whatever happens to Gitea meanwhile. */
export function describeGiteaStatuses(installation: () => Installation, forge: () => ConnectedGitea): void {
  it('shows of each job at the pushed commit first that it is to come, then how it ended', async () => {
    const { gitea, api } = forge();
    const gate = await forge().newGate('every-end');
    const repository = await forge().newRepository('every-end');

    const sha = await forge().push(repository, { [CI]: everyEnd(gate.file) });
    const first = await until('a status of each job', LIMIT_MS, async () => {
      const descriptions = await describedStatuses(forge(), repository, sha);
      return Object.keys(descriptions).length === 4 ? descriptions : undefined;
    });
    await gate.open();
    const { run, jobs } = await api.finished(repository.fullName, await api.runOf(repository.fullName, sha));
    await lastStatuses(forge(), repository, sha);

    expect(first).toEqual({
      'CI / good (push)': expect.stringMatching(/^(Waiting to run|In progress)$/),
      'CI / bad (push)': expect.stringMatching(/^(Waiting to run|In progress)$/),
      'CI / after-bad (push)': 'Blocked by required conditions',
      'CI / after-good (push)': 'Blocked by required conditions',
    });
    expect(await forge().history(repository, sha)).toEqual({
      'CI / good (push)': ['pending', 'success'],
      'CI / bad (push)': ['pending', 'failure'],
      'CI / after-bad (push)': ['pending', 'skipped'],
      'CI / after-good (push)': ['pending', 'success'],
    });
    expect(await describedStatuses(forge(), repository, sha)).toEqual({
      'CI / good (push)': expect.stringMatching(/^Successful in \d+/),
      'CI / bad (push)': expect.stringMatching(/^Failing after \d+/),
      'CI / after-bad (push)': 'Skipped',
      'CI / after-good (push)': expect.stringMatching(/^Successful in \d+/),
    });
    expect(await gitea.combinedState(repository, sha)).toBe('failure');
    for (const { context, target_url: url, creator } of await gitea.statuses(repository, sha)) {
      const job = jobs.find(({ name }) => context === `CI / ${name} (push)`);
      expect(url).toBe(`${installation().url}/${repository.fullName}/actions/runs/${run.id}/jobs/${job?.id}`);
      expect(creator.login).toBe(gitea.bot.name);
    }
  });

  it('takes the commit, not the tag object, of an annotated tag', async () => {
    const { api } = forge();
    const repository = await forge().newRepository('annotated-tag');
    const sha = await forge().push(repository, { '.gitea/workflows/release.yml': TAGGED });
    const copy = forge().workingCopy(repository);

    await git(copy, 'tag', '-a', 'v1', '-m', 'version 1');
    await git(copy, 'push', '-q', repository.remote, 'v1');
    const { run, jobs } = await api.finished(repository.fullName, await api.runOf(repository.fullName, sha));
    await lastStatuses(forge(), repository, sha);

    expect(await git(copy, 'rev-parse', 'v1')).not.toBe(sha);
    expect(run).toMatchObject({ head_sha: sha, state: 'success', path: expect.stringMatching(/@refs\/tags\/v1$/) });
    expect(logLines(await api.log(repository.fullName, jobs[0]?.id ?? 0))).toContain(`fetched tag of ${sha}, told ${sha}`);
    expect((await forge().history(repository, sha))['Release / publish (push)']?.at(-1)).toBe('success');
  });

  it('follows a repository that was renamed while its job ran', async () => {
    const { gitea, api } = forge();
    const gate = await forge().newGate('renamed');
    const repository = await forge().newRepository('old-name');
    const before = await forge().push(repository, { [CI]: gatedJob(gate.file, CLONE_SELF) });
    const started = await api.runOf(repository.fullName, before);
    await untilRunning(forge(), repository, started.id);
    await untilPending(forge(), repository, before);

    const renamed = await gitea.rename(repository, 'new-name');
    await gate.open();
    const { jobs: running } = await api.finished(renamed.fullName, started);
    await lastStatuses(forge(), renamed, before);
    const after = await forge().push(renamed, { [CI]: oneJob(CLONE_SELF) });
    const { jobs } = await api.finished(renamed.fullName, await api.runOf(renamed.fullName, after));
    await lastStatuses(forge(), renamed, after);

    expect(logLines(await api.log(renamed.fullName, running[0]?.id ?? 0))).toContain(`cloned: ${before}`);
    expect(await forge().history(renamed, before)).toEqual({ [CONTEXT]: ['pending', 'success'] });
    expect((await forge().history(renamed, after))[CONTEXT]?.at(-1)).toBe('success');
    expect(logLines(await api.log(renamed.fullName, jobs[0]?.id ?? 0))).toContain(`cloned: ${after}`);
    expect((await api.runs(renamed.fullName)).map((run) => run.head_sha)).toEqual([after, before]);
  });

  it('tells Gitea how a job ended that ended while Gitea was down', async () => {
    const { gitea, api } = forge();
    const gate = await forge().newGate('down');
    const repository = await forge().newRepository('down');
    const sha = await forge().push(repository, { [CI]: gatedJob(gate.file) });
    const started = await api.runOf(repository.fullName, sha);
    await untilPending(forge(), repository, sha);
    const before = refusals(installation());

    await gitea.process.stop();
    await gate.open();
    await api.finished(repository.fullName, started);
    await until('a status that could not be posted', LIMIT_MS, async () => (refusals(installation()) > before ? true : undefined));
    await gitea.process.start();
    await lastStatuses(forge(), repository, sha);

    expect(await forge().history(repository, sha)).toEqual({ [CONTEXT]: ['pending', 'success'] });
  });
}

/** Waits until Gitea shows the end of every job that it has heard of. */
async function lastStatuses(forge: ConnectedGitea, repository: GiteaRepository, sha: string): Promise<void> {
  await until(`the last statuses of ${sha}`, LIMIT_MS, async () => {
    const states = Object.values(await forge.history(repository, sha));
    return states.length > 0 && states.every((of) => of.at(-1) !== 'pending') ? true : undefined;
  });
}

/** What Gitea says of each job now. */
async function describedStatuses({ gitea }: ConnectedGitea, repository: GiteaRepository, sha: string): Promise<Readonly<Record<string, string>>> {
  const statuses = await gitea.statuses(repository, sha);
  return Object.fromEntries(statuses.map(({ context, description }) => [context, description]));
}

async function untilPending(forge: ConnectedGitea, repository: GiteaRepository, sha: string): Promise<void> {
  await until('a pending status', LIMIT_MS, async () => (await forge.gitea.statuses(repository, sha))[0]);
}

async function untilRunning({ api }: ConnectedGitea, { fullName }: GiteaRepository, runId: number): Promise<void> {
  await until('the job to run', LIMIT_MS, async () => ((await api.run(fullName, runId)).state === 'running' ? true : undefined));
}

/** How often the product has said that a forge did not take a status. */
function refusals({ processes }: Installation): number {
  return [...processes.values()].reduce((sum, process) => sum + process.log().split('a forge refused a status').length - 1, 0);
}
