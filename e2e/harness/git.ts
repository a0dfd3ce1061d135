import { execFile } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Dev One',
  GIT_AUTHOR_EMAIL: 'dev@example.com',
  GIT_COMMITTER_NAME: 'Dev One',
  GIT_COMMITTER_EMAIL: 'dev@example.com',
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
};

/** Runs git in a folder and returns what it printed, trimmed. */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', [...args], { cwd: folder, env: { ...process.env, ...IDENTITY }, maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}

/** A bare repository below `root` as a git server would hold it, with a post-receive hook. */
export async function makeBareRepository(root: string, fullName: string, hook: string): Promise<string> {
  const bare = join(root, `${fullName}.git`);
  await mkdir(bare, { recursive: true });
  await git(bare, 'init', '--bare', '--quiet', '--initial-branch=main');
  const file = join(bare, 'hooks', 'post-receive');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, hook);
  await chmod(file, 0o755);
  return bare;
}

/** A working copy with these files committed and pushed to `remote`; returns the commit. */
export async function pushFiles(folder: string, remote: string, files: Readonly<Record<string, string>>, message = 'first'): Promise<string> {
  await mkdir(folder, { recursive: true });
  await git(folder, 'init', '--quiet', '--initial-branch=main').catch(() => '');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '--allow-empty', '-m', message);
  await git(folder, 'push', '--quiet', remote, 'HEAD:refs/heads/main');
  return git(folder, 'rev-parse', 'HEAD');
}
