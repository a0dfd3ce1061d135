import { Failure } from '@triphammer/foundation';
import type { BareRepository } from './bare-repository';
import type { GitResult } from './run-git';

const NOT_THERE = /not our ref|unadvertised object|couldn't find remote ref|no such remote ref/;
const NOT_BY_ID = /unadvertised object/;
const NO_REPOSITORY = /repository '.*' not found|does not appear to be a git repository|does not exist|returned error: 404/;
const REFUSED = /Authentication failed|could not read Username|returned error: 40[13]/;
const REDIRECTED = /returned error: 30\d|unable to update url base from redirection/;

/**
 * Brings commits (or tags) with their trees into the cache. Where the server gives out no objects by their ids, `ref` is fetched
 * with its history. False when the remote does not have one of them; throws `upstream-failed` when it cannot be asked.
 */
export async function fetchCommits(repository: BareRepository, shas: readonly string[], ref: string | undefined): Promise<boolean> {
  const known: string[] = [];
  const missing: string[] = [];
  for (const sha of shas) ((await repository.has(sha)) ? known : missing).push(sha);
  if (missing.length === 0) return true;
  const resembling = await Promise.all(known.map(async (sha) => (await repository.expect(['rev-parse', '--verify', `${sha}^{commit}`])).toString().trim()));
  let result = await repository.fetchObjects(missing, resembling);
  if (result.code !== 0 && ref !== undefined && NOT_BY_ID.test(result.stderr)) result = await repository.fetchRef(ref);
  if (result.code !== 0 && !NOT_THERE.test(result.stderr)) throw fetchFailure(result);
  const here = await Promise.all(missing.map((sha) => repository.has(sha)));
  return here.every(Boolean);
}

/** The same, where there is no going on without them: throws `not-found`. */
export async function needCommits(repository: BareRepository, shas: readonly string[], ref: string | undefined): Promise<void> {
  if (await fetchCommits(repository, shas, ref)) return;
  throw new Failure('not-found', `The repository does not have ${shas.join(' or ')} (any more), or its server gives out no commits by their ids.`);
}

/** What a failed fetch means; git's own last words come with it, in which there is no credential. */
export function fetchFailure({ stderr }: GitResult): Failure {
  const words = stderr.trim().split('\n').slice(-3).join(' ').slice(-500);
  if (NO_REPOSITORY.test(stderr))
    return new Failure('upstream-failed', `The repository cannot be found at its forge; was it renamed or deleted? git: ${words}`);
  if (REFUSED.test(stderr)) return new Failure('upstream-failed', `The forge refuses the credential of its connection for this repository. git: ${words}`);
  if (REDIRECTED.test(stderr)) return new Failure('upstream-failed', `The forge redirects from the repository's address; was it renamed? git: ${words}`);
  return new Failure('upstream-failed', `The repository cannot be fetched. git: ${words}`);
}
