import { expect, it } from '@jest/globals';
import type { ConnectedGitea } from '../harness/connected-gitea';
import { git } from '../harness/git';
import type { GiteaRepository } from '../harness/gitea-forge';
import type { Installation } from '../harness/installation';
import { until } from '../harness/until';
import { CLONE_SELF, everyEnd, gatedJob, TAGGED } from './gitea-workflows';

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
    await until('four pending statuses', LIMIT_MS, async () => ((await gitea.statuses(repository, sha)).length === 4 ? true : undefined));
    await gate.open();
    const { run, jobs } = await api.finished(repository.fullName, await api.runOf(repository.fullName, sha));
    await lastStatuses(forge(), repository, sha);

    expect(await forge().history(repository, sha)).toEqual({
      'CI / good (push)': ['pending', 'success'],
      'CI / bad (push)': ['pending', 'failure'],
      'CI / after-bad (push)': ['pending', 'skipped'],
      'CI / after-good (push)': ['pending', 'success'],
    });
    expect(await gitea.combinedState(repository, sha)).toBe('failure');
    const statuses = (await gitea.statuses(repository, sha)).filter(({ status }) => status !== 'pending');
    const described = Object.fromEntries(statuses.map(({ context, description }) => [context, description]));
    expect(described).toEqual({
      'CI / good (push)': expect.stringMatching(/^Successful in \d+/),
      'CI / bad (push)': expect.stringMatching(/^Failing after \d+/),
      'CI / after-bad (push)': 'Skipped',
      'CI / after-good (push)': expect.stringMatching(/^Successful in \d+/),
    });
    for (const { context, target_url: url, creator } of statuses) {
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
    expect(await api.log(repository.fullName, jobs[0]?.id ?? 0)).toContain(`fetched tag of ${sha}, told ${sha}`);
    expect((await forge().history(repository, sha))['Release / publish (push)']?.at(-1)).toBe('success');
  });

  it('finds a repository that was renamed while its job ran, for the status and for the job', async () => {
    const { gitea, api } = forge();
    const gate = await forge().newGate('renamed');
    const repository = await forge().newRepository('old-name');
    const sha = await forge().push(repository, { [CI]: gatedJob(gate.file, CLONE_SELF) });
    const started = await api.runOf(repository.fullName, sha);
    await untilPending(forge(), repository, sha);

    await untilRunning(forge(), repository, started.id);
    const renamed = await gitea.rename(repository, 'new-name');
    await gate.open();
    await lastStatuses(forge(), renamed, sha);

    const { run, jobs } = await api.finished(renamed.fullName, started);
    expect(await api.log(renamed.fullName, jobs[0]?.id ?? 0)).toContain(`cloned: ${sha}`);
    expect(run.state).toBe('success');
    expect(await forge().history(renamed, sha)).toEqual({ [CONTEXT]: ['pending', 'success'] });
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
