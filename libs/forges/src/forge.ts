import type { CommitState, ForgeKind, Repository } from '@triphammer/models/forges';
import type { RepositoryFacts } from './forge-event';

/** The part of a repository's record by which its forge knows it. */
export type RemoteRepository = Pick<Repository, 'forgeRepositoryId' | 'forgeFullName'>;

/** Where git finds a repository. The credential stands apart, so that no address that is shown or logged holds it. */
export type GitRemote =
  | { readonly kind: 'http'; readonly url: string /** The header's value, `Basic …`; absent where everybody may read. */; readonly authorization?: string }
  | { readonly kind: 'path'; readonly path: string };

export interface StatusReport {
  readonly context: string;
  readonly state: CommitState;
  readonly description: string;
  readonly targetUrl: string;
}

/** `refused` is a value, because whoever posts has to decide whether and when to try again. */
export type StatusOutcome =
  /** `renamed`: what the repository is called now, when that is not what its record says. */
  | { readonly kind: 'posted'; readonly renamed: RepositoryFacts | null }
  /** `isFinal`: trying again cannot help. `retryAfterMs`: how long the forge wants to be left alone. */
  | { readonly kind: 'refused'; readonly isFinal: boolean; readonly retryAfterMs: number | null; readonly reason: string };

/** What a forge with an API can do beyond git. */
export interface ForgeApi {
  /** Throws `not-found` when the repository is gone or may not be seen, `upstream-failed` when the forge does not answer as it should. */
  readRepository(forgeRepositoryId: string): Promise<RepositoryFacts>;
  /** Follows a rename by the repository's id, never by a redirect. Does not throw for what the forge or the network refuses. */
  postStatus(repository: RemoteRepository, sha: string, report: StatusReport): Promise<StatusOutcome>;
}

/** One connected forge, with its credential. */
export interface Forge {
  readonly kind: ForgeKind;
  gitRemote(repository: RemoteRepository): GitRemote;
  /** Tries address and credential. Throws `upstream-failed` with what the forge said. `username` is whose the token is, where the forge tells. */
  verify(): Promise<{ readonly username: string | null }>;
  /** Absent where there is nothing but git. */
  readonly api?: ForgeApi;
}

/** An address with the credential in git's own form, if there is one. Git servers with tokens care little for the user's name, but it must not be empty. */
export function httpRemote(url: string, username: string | null, token: string | null): GitRemote {
  if (token === null) return { kind: 'http', url };
  return { kind: 'http', url, authorization: `Basic ${Buffer.from(`${username ?? 'token'}:${token}`).toString('base64')}` };
}
