import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '@triphammer/foundation';
import type { GitRemote } from '../forge';
import { type GitResult, type GitRun, runGit } from './run-git';

const LOCAL_TIMEOUT_MS = 60_000;
const FETCH_TIMEOUT_MS = 10 * 60_000;
/** Names of files and entries of trees: a repository of a million files has about 60 MB of them. */
const MAX_OUTPUT_BYTES = 128 * 1024 * 1024;
/** Every fetch adds a pack and none is ever gathered: past this it is cheaper to begin anew. */
const MAX_PACKS = 300;
/** Written at each use: its time says when that was. */
export const USED = 'used';
const ALL_HISTORY = 2_147_483_647;
/**
 * What serves a folder of this machine. It may belong to another user: an administrator has named it, and only this call trusts it.
 * Git hands no configuration from the environment on to it. The text is constant; git itself quotes the path behind it.
 */
const UPLOAD_PACK = 'git -c safe.directory=* -c uploadpack.allowFilter=true -c uploadpack.allowAnySHA1InWant=true upload-pack';

/** A bare repository in a folder, with a remote that is only known for the length of a call. */
export class BareRepository {
  constructor(
    readonly folder: string,
    private readonly remote: GitRemote,
  ) {}

  /** Makes the folder where it is missing, and anew where it has grown into too many pieces. `sha` tells the kind of ids. */
  async prepare(sha: string): Promise<void> {
    if (await this.isWorn()) await rm(this.folder, { recursive: true, force: true });
    if (!(await stat(join(this.folder, 'HEAD')).catch(() => undefined))) {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      const format = sha.length === 64 ? 'sha256' : 'sha1';
      await this.expect(['init', '--bare', '--quiet', '--template=', `--object-format=${format}`]);
    }
    await writeFile(join(this.folder, USED), '');
  }

  /** Whether a commit (or a tag of one) is here with its trees. */
  async has(sha: string): Promise<boolean> {
    return (await this.local(['cat-file', '-e', `${sha}^{tree}`])).code === 0;
  }

  /** These objects by their ids, each without its history and without the files' contents. `known`: what they likely resemble. */
  async fetchObjects(shas: readonly string[], known: readonly string[] = []): Promise<GitResult> {
    return this.fetch(['--filter=blob:none', '--depth=1', ...known.map((sha) => `--negotiation-tip=${sha}`)], shas);
  }

  /** A ref with all its history, for servers that give out nothing but their refs. */
  async fetchRef(ref: string): Promise<GitResult> {
    return this.fetch(['--filter=blob:none', `--depth=${ALL_HISTORY}`], [ref]);
  }

  async fetchBlobs(blobIds: readonly string[]): Promise<GitResult> {
    return this.fetch(['--filter=blob:none'], blobIds);
  }

  /** The commits alone, without trees, that lead to `sha` and not to the branch `excluded`. */
  async fetchCommitsBeyond(excluded: string, sha: string): Promise<GitResult> {
    return this.fetch(['--filter=tree:0', `--shallow-exclude=refs/heads/${excluded}`], [sha]);
  }

  /** A command that must succeed on what is here. */
  async expect(args: readonly string[], stdin = ''): Promise<Buffer> {
    const { code, stdout, stderr } = await this.local(args, stdin);
    if (code !== 0) throw new Failure('corrupt', `git ${args[0]} failed in the git cache: ${stderr.trim()}`);
    return stdout;
  }

  async local(args: readonly string[], stdin = ''): Promise<GitResult> {
    return runGit({ args, gitDir: this.folder, stdin, timeoutMs: LOCAL_TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES });
  }

  private async fetch(options: readonly string[], wanted: readonly string[]): Promise<GitResult> {
    const { remote } = this;
    const fixed = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--no-recurse-submodules'];
    const service = remote.kind === 'path' ? [`--upload-pack=${UPLOAD_PACK}`] : [];
    return runGit({
      args: ['fetch', ...fixed, ...service, ...options, '--stdin', 'origin'],
      stdin: `${wanted.join('\n')}\n`,
      gitDir: this.folder,
      config: configOf(remote),
      protocols: remote.kind === 'path' ? 'file' : 'http:https',
      timeoutMs: FETCH_TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
    });
  }

  private async isWorn(): Promise<boolean> {
    const files = await readdir(join(this.folder, 'objects', 'pack')).catch(() => []);
    return files.filter((file) => file.endsWith('.pack')).length > MAX_PACKS;
  }
}

/** A promisor, so that fetch accepts that contents are missing; nothing of this is written into the repository. */
function configOf(remote: GitRemote): NonNullable<GitRun['config']> {
  const origin = [
    ['remote.origin.url', remote.kind === 'path' ? remote.path : remote.url],
    ['remote.origin.promisor', 'true'],
    ['remote.origin.partialclonefilter', 'blob:none'],
  ] as const;
  if (remote.kind === 'path') return origin;
  return [
    ...origin,
    ['http.followRedirects', 'false'],
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', '120'],
    ['credential.helper', ''],
    ...(remote.authorization === undefined ? [] : [['http.extraHeader', `Authorization: ${remote.authorization}`] as const]),
  ];
}
