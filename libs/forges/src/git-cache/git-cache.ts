import { readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { newUuid } from '@triphammer/foundation';
import type { GitRemote } from '../forge';
import { BareRepository, USED } from './bare-repository';
import { changedFiles, type RefMove } from './changed-files';
import { needCommits } from './fetch-commits';
import { folderSize } from './folder-size';
import { type WorkflowFolder, workflowFiles } from './workflow-files';

/** Another process touches its part at each use and at each cut; one that has not for so long is gone. */
const ABANDONED_AFTER_MS = 6 * 60 * 60_000;
const UUID = /^[0-9a-f-]{36}$/;

/** A repository of ours, and where its forge keeps it. */
export interface CachedRepository {
  readonly id: number;
  readonly remote: GitRemote;
  /** The full ref that the wanted commits were pushed to: the way to them on servers that give out no commits by id. */
  readonly ref?: string;
}

/**
 * What this process knows of the forges' repositories: commits and trees, and the contents of workflow files. Each method fetches
 * what it lacks. Throws `not-found` when the remote does not have a commit (any more), `upstream-failed` when it cannot be asked.
 *
 * Each process has a folder of its own below `root`: git's own locks make two processes in one repository fail, a lock that
 * outlives a crash needs somebody who decides that it is stale, and a commit is fetched again in some ten milliseconds.
 */
export class GitCache {
  private readonly folder: string;
  private readonly turns = new Map<number, Promise<unknown>>();

  constructor(private readonly root: string) {
    this.folder = join(root, newUuid());
  }

  /** Brings several commits at once; cheaper than one by one. */
  async fetch(repository: CachedRepository, shas: readonly [string, ...string[]]): Promise<void> {
    await this.open(repository, shas[0], (bare) => needCommits(bare, shas, repository.ref));
  }

  /** The commit that a tag object stands for; a commit stands for itself. */
  async commitOf(repository: CachedRepository, sha: string): Promise<string> {
    return this.withCommit(repository, sha, async (bare) => (await bare.expect(['rev-parse', '--verify', `${sha}^{commit}`])).toString().trim());
  }

  async commitMessage(repository: CachedRepository, sha: string): Promise<string> {
    return this.withCommit(repository, sha, async (bare) => {
      const message = await bare.expect(['log', '-1', '--encoding=UTF-8', '--format=%B', `${sha}^{commit}`]);
      return message.toString('utf8').replace(/\n+$/, '');
    });
  }

  /** See `changedFiles`: undefined when no diff can be had, which is not the same as no changed files. */
  async changedFiles(repository: CachedRepository, move: RefMove): Promise<readonly string[] | undefined> {
    const scratch = new BareRepository(join(this.folder, `${repository.id}.scratch`), repository.remote);
    return this.open(repository, move.after, async (bare) => {
      try {
        return await changedFiles(bare, scratch, move);
      } finally {
        await rm(scratch.folder, { recursive: true, force: true });
      }
    });
  }

  /** See `workflowFiles`: undefined when the commit has none of these folders. */
  async workflowFiles(repository: CachedRepository, sha: string, folders: readonly string[]): Promise<WorkflowFolder | undefined> {
    return this.withCommit(repository, sha, (bare) => workflowFiles(bare, sha, folders));
  }

  /** Removes the repositories that were used longest ago until the rest fits, and what dead processes left behind. For a sweep. */
  async cutBack(maxBytes: number, now: Date): Promise<void> {
    await utimes(this.folder, now, now).catch(() => undefined);
    await this.removeAbandoned(now);
    const repositories = await this.listBySize();
    let total = repositories.reduce((sum, { size }) => sum + size, 0);
    for (const { id, size } of repositories) {
      if (total <= maxBytes) return;
      await this.inTurn(id, () => rm(this.folderOf(id), { recursive: true, force: true }));
      total -= size;
    }
  }

  private async withCommit<Result>(repository: CachedRepository, sha: string, work: (bare: BareRepository) => Promise<Result>): Promise<Result> {
    return this.open(repository, sha, async (bare) => {
      await needCommits(bare, [sha], repository.ref);
      return work(bare);
    });
  }

  private open<Result>({ id, remote }: CachedRepository, sha: string, work: (bare: BareRepository) => Promise<Result>): Promise<Result> {
    return this.inTurn(id, async () => {
      const bare = new BareRepository(this.folderOf(id), remote);
      await bare.prepare(sha);
      return work(bare);
    });
  }

  /** One at a time in each repository. */
  private async inTurn<Result>(id: number, work: () => Promise<Result>): Promise<Result> {
    const before = this.turns.get(id) ?? Promise.resolve();
    const turn = before.then(work);
    const ended = turn.catch(() => undefined);
    this.turns.set(id, ended);
    await ended;
    if (this.turns.get(id) === ended) this.turns.delete(id);
    return turn;
  }

  private folderOf(id: number): string {
    return join(this.folder, `${id}.git`);
  }

  /** Used longest ago first. */
  private async listBySize(): Promise<readonly { readonly id: number; readonly size: number }[]> {
    const names = await readdir(this.folder).catch(() => []);
    const found = await Promise.all(
      names.flatMap((name) => {
        const id = /^(\d+)\.git$/.exec(name)?.[1];
        return id === undefined ? [] : [this.measure(Number(id))];
      }),
    );
    return found.sort((a, b) => a.usedAt - b.usedAt);
  }

  private async measure(id: number): Promise<{ readonly id: number; readonly size: number; readonly usedAt: number }> {
    const folder = this.folderOf(id);
    const usedAt = (await stat(join(folder, USED)).catch(() => undefined))?.mtimeMs ?? 0;
    return { id, size: await folderSize(folder), usedAt };
  }

  private async removeAbandoned(now: Date): Promise<void> {
    for (const name of await readdir(this.root).catch(() => [])) {
      if (!UUID.test(name)) continue;
      const folder = join(this.root, name);
      const touched = (await stat(folder).catch(() => undefined))?.mtimeMs ?? now.getTime();
      if (folder !== this.folder && now.getTime() - touched > ABANDONED_AFTER_MS) await rm(folder, { recursive: true, force: true });
    }
  }
}
