import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeOrigin, type Origin, removeTempFolders, tempFolder } from '../git-cache/git.harness';
import { isSigned, readForgeEvent } from '../webhook';
import { renderPostReceiveHook } from './render-post-receive-hook';

const CONNECTION = { kind: 'git', name: 'plain' } as const;
const ZEROS = '0'.repeat(40);
const MESSAGE = 'Subject with "quotes" and \\back\\slashes\n\n\ttab, ünïcode 🔑, $(touch x) `y` %s %d \\n\nlast line';

let folder: string;
let origin: Origin;
let receiver: Server;
let posts: { headers: IncomingHttpHeaders; body: Buffer }[];
let status: number;

beforeEach(async () => {
  folder = tempFolder();
  mkdirSync(join(folder, 'team'));
  origin = makeOrigin(join(folder, 'team'));
  posts = [];
  status = 202;
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      posts.push({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(status).end('{}');
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
});
afterAll(removeTempFolders);
afterEach(() => new Promise((resolve) => void receiver.close(resolve).closeAllConnections()));

// The first is what a generated secret looks like; the others have every kind of byte, and 64 of them.
const SECRETS = ['0123456789abcdef0123456789abcdef01234567', `y%6\\'"$(id)\`x\`!~/.-_{}`, '~'.repeat(64)];
const SHELLS = ['/bin/sh', '/bin/bash', '/bin/busybox sh'].filter((shell) => existsSync(shell.split(' ')[0] as string));

describe.each(SHELLS)('the hook script in %s', (shell) => {
  it.each(SECRETS)('reports a push in signed words that are understood (%#)', async (secret) => {
    install({ shell, secret });
    const sha = origin.commit(MESSAGE, { 'a.txt': 'a' });

    const pushed = await push('HEAD:refs/heads/main');

    expect(pushed).not.toMatch(/triphammer/);
    expect(posts).toHaveLength(1);
    const { headers, body } = posts[0] as (typeof posts)[0];
    expect(headers['content-type']).toBe('application/json');
    expect(isSigned('git', headers, body, secret)).toBe(true);
    expect(isSigned('git', headers, body, `${secret}x`)).toBe(false);
    expect(readForgeEvent(CONNECTION, 'push', body)).toMatchObject({
      repository: { forgeRepositoryId: 'team/app.git', fullName: 'team/app', ownerName: 'team', name: 'app', defaultBranch: 'main' },
      push: { ref: 'refs/heads/main', before: ZEROS, after: sha, headCommitSha: sha, headCommitMessage: `${MESSAGE}\n`, isCreated: true },
    });
  });
});

describe('the hook script', () => {
  it('reports each branch and tag of a push, an annotated tag with its commit, a deletion without one, and nothing else', async () => {
    install({});
    const sha = origin.commit('one', { 'a.txt': 'a' });
    await push('HEAD:refs/heads/main', 'HEAD:refs/heads/old');
    origin.git('tag', '-a', 'v1', '-m', 'tag');
    posts = [];

    await push('HEAD:refs/heads/fe"at', ':refs/heads/old', 'v1:refs/tags/v1', 'HEAD:refs/notes/x');

    const events = posts.map((post) => readForgeEvent(CONNECTION, 'push', post.body).push);
    expect(events).toHaveLength(3);
    expect(events).toContainEqual(expect.objectContaining({ ref: 'refs/heads/fe"at', headCommitSha: sha }));
    expect(events).toContainEqual(expect.objectContaining({ ref: 'refs/heads/old', before: sha, after: ZEROS, isDeleted: true, headCommitSha: null }));
    expect(events).toContainEqual(expect.objectContaining({ ref: 'refs/tags/v1', after: origin.git('rev-parse', 'v1'), headCommitSha: sha, isTag: true }));
  });

  it('signs no two deliveries alike', async () => {
    install({});
    origin.commit('one', { 'a.txt': 'a' });

    for (const refspec of ['HEAD:refs/heads/next', ':refs/heads/next', 'HEAD:refs/heads/next']) await push(refspec);

    expect(new Set(posts.map((post) => post.headers['x-triphammer-signature'])).size).toBe(3);
  });

  it('cuts a huge message and is understood all the same', async () => {
    install({});
    writeFileSync(join(origin.work, 'message'), 'ü'.repeat(200_000));
    origin.commit('one', { 'a.txt': 'a' });
    origin.git('commit', '--quiet', '--amend', '-F', 'message');

    await push('HEAD:refs/heads/main');

    expect(readForgeEvent(CONNECTION, 'push', (posts[0] as (typeof posts)[0]).body).push?.headCommitMessage).toHaveLength(32_768);
  });

  it('names a repository outside the folder as git config says', async () => {
    install({ repositoryRoot: null });
    origin.commit('one', { 'a.txt': 'a' });

    const nameless = await push('HEAD:refs/heads/main');
    await run('git', ['-C', origin.bare, 'config', 'triphammer.repository', 'other/name']);
    await push('HEAD:refs/heads/next');

    expect(nameless).toMatch(/no CI run: name this repository once, with: git config triphammer.repository/);
    expect(posts.map((post) => readForgeEvent(CONNECTION, 'push', post.body).repository?.fullName)).toEqual(['other/name']);
  });

  it('warns whoever pushes when it is refused, goes on with the next ref, and never fails the push', async () => {
    install({});
    status = 401;
    origin.commit('one', { 'a.txt': 'a' });

    const pushed = await push('HEAD:refs/heads/main', 'HEAD:refs/heads/next');

    expect(pushed).toMatch(/triphammer: no CI run for refs\/heads\/main: .*401/);
    expect(posts).toHaveLength(2);
    expect(origin.git('ls-remote', origin.bare)).toMatch(/refs\/heads\/next/);
  });

  it('warns once when nobody answers', async () => {
    install({ url: 'http://127.0.0.1:9/webhooks/1' });
    origin.commit('one', { 'a.txt': 'a' });

    const pushed = await push('HEAD:refs/heads/main', 'HEAD:refs/heads/next');

    expect(pushed.match(/triphammer: no CI run for/g)).toHaveLength(1);
    expect(origin.git('ls-remote', origin.bare)).toMatch(/refs\/heads\/next/);
  });

  it('warns when a tool is missing', async () => {
    install({});
    const hook = join(origin.bare, 'hooks', 'post-receive');
    writeFileSync(hook, readFileSync(hook, 'utf8').replace('for tool in', 'for tool in surely-missing'));
    origin.commit('one', { 'a.txt': 'a' });

    expect(await push('HEAD:refs/heads/main')).toMatch(/triphammer: no CI run: surely-missing is missing on the git server/);
  });

  it('takes an address with a quote for an address', () => {
    const script = renderPostReceiveHook({ url: "http://x/'; touch /tmp/pwned; '", secret: 's', repositoryRoot: null });

    expect(script).toContain(`url='http://x/'\\''; touch /tmp/pwned; '\\'''\n`);
  });
});

interface Installation {
  readonly shell?: string;
  readonly secret?: string;
  readonly url?: string;
  readonly repositoryRoot?: string | null;
}

function install({ shell = '/bin/sh', secret = SECRETS[0] as string, ...options }: Installation): void {
  const url = options.url ?? `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks/1`;
  const script = renderPostReceiveHook({ url, secret, repositoryRoot: options.repositoryRoot === undefined ? folder : options.repositoryRoot });
  const hook = join(origin.bare, 'hooks', 'post-receive');
  mkdirSync(join(origin.bare, 'hooks'), { recursive: true });
  writeFileSync(hook, script.replace('#!/bin/sh', `#!${shell}`));
  chmodSync(hook, 0o755);
}

/** Pushes without blocking this process, which has to answer the hook. Returns what the pusher reads. */
async function push(...refspecs: string[]): Promise<string> {
  const { stderr } = await run('git', ['-C', origin.work, 'push', '--quiet', '--force', origin.bare, ...refspecs]);
  return stderr;
}

function run(command: string, args: readonly string[]): Promise<{ stderr: string }> {
  return promisify(execFile)(command, [...args]);
}
