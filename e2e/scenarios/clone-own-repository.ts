import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { git } from '../harness/git';
import type { Installation } from '../harness/installation';
import { logLines } from '../harness/log-lines';
import type { PlainGitForge } from '../harness/plain-git';

const workflow = (tokenFile: string) => `
name: clone
on: push
jobs:
  clone:
    runs-on: linux
    env:
      TOKEN: \${{ github.token }}
      GIT_CONFIG_GLOBAL: ${tokenFile}.gitconfig
    steps:
      - name: whole
        run: |
          printf %s "$TOKEN" > ${tokenFile}
          basic=$(printf 'x-access-token:%s' "$TOKEN" | base64 -w0)
          git config --global "http.$GITHUB_SERVER_URL/.extraheader" "AUTHORIZATION: basic $basic"
          git clone -q "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY" whole
          echo "whole: $(git -C whole rev-parse HEAD) $(cat whole/hello.txt)"
      - name: shallow
        run: |
          git init -q shallow && cd shallow
          git fetch -q --depth=1 "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY.git" "+$GITHUB_SHA:refs/remotes/origin/main"
          git checkout -q refs/remotes/origin/main
          echo "shallow: $(git rev-parse HEAD) $(git rev-list --count HEAD)"
      - name: tag
        run: |
          git clone -q --depth=1 --branch v1 "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY" tagged
          echo "tag: $(git -C tagged describe --tags)"
      - name: other repository
        run: |
          if git clone -q "$GITHUB_SERVER_URL/acme/01-needs-and-output" other; then echo "other: cloned"; else echo "other: refused"; fi
      - name: push
        run: |
          cd whole
          if git push -q origin HEAD:refs/heads/mine; then echo "push: done"; else echo "push: refused"; fi
`;

/** What a job's token may clone: its own repository, in every way, and nothing else, and nothing once the job is over. */
export function describeCloning(installation: () => Installation, forge: () => PlainGitForge): void {
  it('clones its private repository with the job token: whole, shallow by commit, by an annotated tag', async () => {
    const repository = 'acme/private';
    const tokenFile = join(installation().workFolder, 'job-token');
    const bare = await forge().bareRepository(repository);
    const copy = forge().workingCopy(repository);
    await forge().push(repository, bare, { 'hello.txt': 'hello\n' });
    await git(copy, 'tag', '-a', 'v1', '-m', 'version 1');
    await git(copy, 'push', '-q', bare, 'v1');

    const sha = await forge().push(repository, bare, { '.gitea/workflows/ci.yml': workflow(tokenFile) });
    const { run, jobs } = await forge().finished(repository, await forge().runOf(repository, sha));

    const log = await forge().api.log(repository, jobs[0]?.id ?? 0);
    expect(logLines(log)).toEqual(expect.arrayContaining([`whole: ${sha} hello`, `shallow: ${sha} 1`, 'tag: v1', 'other: refused', 'push: refused']));
    expect(run.state).toBe('success');
    const token = readFileSync(tokenFile, 'utf8');
    expect(log).not.toContain(token);
    await expect(cloneWith(installation().url, repository, token, installation().workFolder)).rejects.toThrow(/403/);
  });
}

function cloneWith(url: string, repository: string, token: string, folder: string): Promise<string> {
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  return git(folder, '-c', `http.extraHeader=AUTHORIZATION: basic ${basic}`, 'clone', '-q', `${url}/${repository}`, join(folder, 'too-late'));
}
