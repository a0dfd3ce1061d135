import { Failure } from '@triphammer/foundation';
import type { RepositoryName } from './clone-path';
import type { HttpRemote } from './http-remote';
import { tokenFromAuthorization } from './job-token-header';

export interface CloneProxyDeps {
  /** What the token says of its job; `undefined` for a token that is none, or whose job is not known any more. */
  verifyJobToken(token: string): Promise<JobAccess | undefined>;
  readRepository(repositoryId: number): Promise<CloneTarget>;
  /** Asks the forge by its own number of the repository and stores what it says; `undefined` when it is there no more. */
  refreshRepository(repositoryId: number): Promise<CloneTarget | undefined>;
}

export interface JobAccess {
  /** The one repository that the token reads. */
  readonly repositoryId: number;
  /** `owner/name` as the job was told it, and as it is now: a rename at the forge breaks no job that runs. */
  readonly names: readonly string[];
  /** Set once the job is over, and with it the token. */
  readonly ended?: { readonly job: string; readonly at: Date };
}

export interface CloneTarget {
  readonly repositoryId: number;
  /** The path is absolute, and resolved below its connection's folder. */
  readonly remote: HttpRemote | { readonly kind: 'path'; readonly path: string };
}

/**
 * The repository, if the bearer may read it. Throws `unauthenticated`, so that git sends the credential it has kept back;
 * `forbidden` for a job that is over, because git shows nothing of a 401; `not-found`.
 */
export async function admit(deps: CloneProxyDeps, authorization: string | undefined, { owner, name }: RepositoryName): Promise<CloneTarget> {
  const token = tokenFromAuthorization(authorization);
  if (token === undefined) throw new Failure('unauthenticated', "Cloning from here needs a job's token.");
  const access = await deps.verifyJobToken(token);
  if (!access) throw new Failure('unauthenticated', 'This token is not known here.');
  if (access.ended) {
    throw new Failure('forbidden', `The token died with its job: ${access.ended.job} ended at ${access.ended.at.toISOString()}.`);
  }
  const asked = `${owner}/${name}`.toLowerCase();
  // Whether it is another's or nobody's is not looked up: the answer would tell a fork's job which private repositories there are.
  if (!access.names.some((own) => own.toLowerCase() === asked)) {
    throw new Failure('not-found', "There is no such repository here that this job may read. A job's token reads the job's own repository alone.");
  }
  return deps.readRepository(access.repositoryId);
}
