import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface GitResult {
  readonly code: number;
  readonly stdout: string;
  /** What the user sees. */
  readonly stderr: string;
}

/** A folder that goes with its suite. */
export async function scratchFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'clone-proxy-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Runs the real git, with no configuration but that of `args`, and never from a terminal. */
export function git(args: readonly string[], folder?: string): Promise<GitResult> {
  const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
  return new Promise((resolve) => {
    execFile('git', [...args], { cwd: folder, env, maxBuffer: 16 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr });
    });
  });
}

/** As `git`, for what must succeed; gives its output. */
export async function mustGit(args: readonly string[], folder?: string): Promise<string> {
  const { code, stdout, stderr } = await git(args, folder);
  if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout.trim();
}

export interface SampleRepository {
  readonly path: string;
  readonly head: string;
  /** The first commit, to which the annotated tag `v1` points. */
  readonly tagged: string;
  /** A commit that a force push took off its branch. */
  readonly lost: string;
}

/** Enough that the wants of all blobs, at 50 bytes each, exceed the smallest `http.postBuffer` of 64 KiB. */
export const SAMPLE_FILES = 1_500;

/** A bare repository with history, an annotated tag, many small files and a commit that no ref reaches. */
export async function makeSampleRepository(path: string): Promise<SampleRepository> {
  const files = Array.from({ length: SAMPLE_FILES }, (_, index) => `M 100644 inline src/${index}.txt\n${data(`file ${index}\n`)}`);
  await importRepository(path, [
    `commit refs/heads/main\nmark :1\n${by('committer')}${data('first\n')}${files.join('')}`,
    `tag v1\nfrom :1\n${by('tagger')}${data('version 1\n')}`,
    `commit refs/heads/main\n${by('committer')}${data('second\n')}M 100644 inline README\n${data('hello\n')}`,
    `commit refs/heads/lost\n${by('committer')}${data('lost\n')}from :1\nM 100644 inline LOST\n${data('lost\n')}`,
  ]);
  const lost = await mustGit(['rev-parse', 'lost'], path);
  await mustGit(['update-ref', '-d', 'refs/heads/lost'], path);
  return { path, head: await mustGit(['rev-parse', 'main'], path), tagged: await mustGit(['rev-parse', 'v1^{commit}'], path), lost };
}

/** A bare repository with one file `blob` of these bytes. */
export async function makeBlobRepository(path: string, blob: Buffer): Promise<void> {
  await importRepository(path, [`commit refs/heads/main\n${by('committer')}${data('big\n')}M 100644 inline blob\ndata ${blob.length}\n`, blob, '\n']);
}

async function importRepository(path: string, stream: readonly (string | Buffer)[]): Promise<void> {
  await mustGit(['init', '--quiet', '--bare', '--initial-branch=main', path]);
  const child = spawn('git', ['-c', 'core.compression=0', 'fast-import', '--quiet'], { cwd: path, stdio: ['pipe', 'inherit', 'inherit'] });
  for (const part of stream) child.stdin.write(part);
  child.stdin.end();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error('fast-import failed');
}

function by(role: string): string {
  return `${role} Sam <sam@example.org> 1767225600 +0000\n`;
}

function data(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
