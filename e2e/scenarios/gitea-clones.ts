import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { ConnectedGitea } from '../harness/connected-gitea';
import { git } from '../harness/git';
import type { Installation } from '../harness/installation';
import { logLines } from '../harness/log-lines';
import { until } from '../harness/until';
import { cloningJob, oneJob } from './gitea-workflows';

/** What a job's token opens at the installation's own address, and that nobody sees the connection's credential. */
export function describeGiteaClones(installation: () => Installation, forge: () => ConnectedGitea): void {
  it('lets a job clone its private repository, whole and shallow, and no other one, and nothing once it is over', async () => {
    const { api, gitea } = forge();
    const other = await forge().newRepository('not-yours');
    await api.finished(other.fullName, await api.runOf(other.fullName, await forge().push(other, { '.gitea/workflows/ci.yml': oneJob('echo known') })));
    const repository = await forge().newRepository('yours');
    const tokenFile = forge().file('job-token');
    await forge().push(repository, { 'readme.txt': 'the first commit' });
    const sha = await forge().push(repository, { '.gitea/workflows/ci.yml': cloningJob({ tokenFile, other: other.fullName }) });

    const { run, jobs } = await api.finished(repository.fullName, await api.runOf(repository.fullName, sha));

    const log = await until('the log', 30_000, () => api.log(repository.fullName, jobs[0]?.id ?? 0));
    expect(logLines(log)).toEqual(expect.arrayContaining([`whole: ${sha}, 2 commits`, `shallow: ${sha}, 1 commits`, 'other: refused', 'nobody: refused']));
    expect(run.state).toBe('success');
    const token = await readFile(tokenFile, 'utf8');
    expectNoCredential(log, [gitea.bot.token, token]);
    await expect(cloneWith(token, `${installation().url}/${repository.fullName}`, forge().file('too-late'))).rejects.toThrow(
      /The token died with its job: build ended at/,
    );
  });
}

/** In clear or in the form of the header that carries it; and the log does show such headers. */
function expectNoCredential(log: string, tokens: readonly string[]): void {
  expect(log).toMatch(/=> Send header: authorization: basic /i);
  expect(log).toContain('application/x-git-upload-pack-result');
  for (const token of tokens) {
    expect(log).not.toContain(token);
    for (const user of ['ci-bot', 'x-access-token']) expect(log).not.toContain(Buffer.from(`${user}:${token}`).toString('base64'));
  }
}

function cloneWith(token: string, url: string, folder: string): Promise<string> {
  const header = `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  return git('/', '-c', `http.extraHeader=${header}`, 'clone', '-q', url, folder);
}
