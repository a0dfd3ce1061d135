import { isZeroId } from '../forge-event';
import type { BareRepository } from './bare-repository';
import { fetchCommits, needCommits } from './fetch-commits';

export interface RefMove {
  /** The full ref. */
  readonly ref: string;
  /** All zeros: the ref is new. */
  readonly before: string;
  readonly after: string;
  readonly defaultBranch: string;
}

/**
 * Names of the files that differ between before and after, a renamed one as two. For a new branch: since the parent of its
 * oldest commit that the default branch does not have. Undefined when no diff can be had, which is not the same as no changed
 * files. `scratch` is where a repository may be made for the search.
 */
export async function changedFiles(repository: BareRepository, scratch: BareRepository, move: RefMove): Promise<readonly string[] | undefined> {
  await needCommits(repository, [move.after], move.ref);
  if (isZeroId(move.before)) return filesOfNewRef(repository, scratch, move);
  return (await fetchCommits(repository, [move.before], move.ref)) ? differingFiles(repository, move.before, move.after) : undefined;
}

async function filesOfNewRef(repository: BareRepository, scratch: BareRepository, move: RefMove): Promise<readonly string[] | undefined> {
  if (move.ref === `refs/heads/${move.defaultBranch}`) return allFiles(repository, move.after);
  const base = await forkPoint(scratch, move);
  if (base === undefined) return undefined;
  if (base === null) return allFiles(repository, move.after);
  return (await fetchCommits(repository, [base], move.ref)) ? differingFiles(repository, base, move.after) : undefined;
}

/** The parent of the oldest new commit, along the line of first parents; null when that has none, undefined when there is no new one. */
async function forkPoint(scratch: BareRepository, { after, defaultBranch }: RefMove): Promise<string | null | undefined> {
  // Apart from the rest: commits without trees, and a history that is cut off elsewhere, would be in the way there.
  await scratch.prepare(after);
  const fetched = await scratch.fetchCommitsBeyond(defaultBranch, after);
  if (fetched.code !== 0) return undefined;
  const line = (await scratch.expect(['rev-list', '--first-parent', `${after}^{commit}`])).toString().trim().split('\n');
  // Where the history is cut off, only the commit itself still names its parents.
  const oldest = (await scratch.expect(['cat-file', 'commit', line.at(-1) as string])).toString();
  return /^parent ([0-9a-f]+)$/m.exec(oldest.split('\n\n', 1)[0] as string)?.[1] ?? null;
}

async function differingFiles(repository: BareRepository, before: string, after: string): Promise<readonly string[]> {
  return namesIn(await repository.expect(['diff-tree', '-r', '-z', '--name-only', '--no-renames', `${before}^{tree}`, `${after}^{tree}`]));
}

async function allFiles(repository: BareRepository, sha: string): Promise<readonly string[]> {
  return namesIn(await repository.expect(['ls-tree', '-r', '-z', '--name-only', '--full-tree', sha]));
}

function namesIn(output: Buffer): readonly string[] {
  return output
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '');
}
