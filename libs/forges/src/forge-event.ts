/** What a forge says about a repository, in a webhook or when it is asked. */
export interface RepositoryFacts {
  /** Lasting: rename and transfer change everything but this. */
  readonly forgeRepositoryId: string;
  readonly forgeOwnerId: string;
  readonly ownerName: string;
  readonly name: string;
  /** `owner/name` as the forge spells it. */
  readonly fullName: string;
  readonly defaultBranch: string;
  readonly isPrivate: boolean;
  readonly isArchived: boolean;
}

export interface Push {
  /** The full ref: `refs/heads/main`. */
  readonly ref: string;
  /** Without `refs/heads/` or `refs/tags/`. */
  readonly refName: string;
  readonly isTag: boolean;
  /** All zeros: the ref is new. For tags these two may name tag objects. */
  readonly before: string;
  /** All zeros: the ref was deleted. */
  readonly after: string;
  readonly isCreated: boolean;
  readonly isDeleted: boolean;
  /** Sent by the forge to try the webhook; nothing was pushed. */
  readonly isTest: boolean;
  /** The commit, also where an annotated tag was pushed; null for a deletion. */
  readonly headCommitSha: string | null;
  readonly headCommitMessage: string | null;
  readonly pusher: string | null;
}

/** A webhook of any forge, in our words. */
export interface ForgeEvent {
  /** The fine name: `pull_request_sync`, not `pull_request`. */
  readonly event: string;
  readonly action: string | null;
  /** The repository whose workflows the event may concern; null for events of an owner or of the forge. */
  readonly repository: RepositoryFacts | null;
  readonly sender: string | null;
  /** The full ref and the commit that the event is about, where it says so. */
  readonly ref: string | null;
  readonly sha: string | null;
  readonly push: Push | null;
  /** As the forge sent it. */
  readonly payload: Readonly<Record<string, unknown>>;
}

export function isZeroId(sha: string): boolean {
  return /^0+$/.test(sha);
}
