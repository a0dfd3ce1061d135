import { type ForgeEvent, isZeroId, type Push, type RepositoryFacts } from '../forge-event';
import { FULL_REF, OBJECT_ID } from '../wire-text';
import { type GiteaPayload, type GiteaPush, type GiteaRepository, parsePayload, parsePush } from './parse';

/** A Gitea or Forgejo webhook in our words; `event` is the fine name from its header. Throws `invalid-input`. */
export function readGiteaEvent(event: string, json: Readonly<Record<string, unknown>>): ForgeEvent {
  const payload = parsePayload(json);
  const push = event === 'push' ? convertPush(parsePush(json)) : null;
  const repository = payload.forkee ?? payload.repository;
  return {
    event,
    action: payload.action ?? null,
    repository: repository ? convertRepository(repository) : null,
    sender: payload.sender?.login ?? null,
    ...(push ? { ref: push.ref, sha: push.headCommitSha } : subject(payload)),
    push,
    payload: json,
  };
}

export function convertRepository(repository: GiteaRepository): RepositoryFacts {
  return {
    forgeRepositoryId: String(repository.id),
    forgeOwnerId: String(repository.owner.id),
    ownerName: repository.owner.login,
    name: repository.name,
    fullName: `${repository.owner.login}/${repository.name}`,
    defaultBranch: repository.default_branch ?? '',
    isPrivate: repository.private ?? true,
    isArchived: repository.archived ?? false,
  };
}

function convertPush(push: GiteaPush): Push {
  const isDeleted = isZeroId(push.after);
  return {
    ref: push.ref,
    refName: push.ref.replace(/^refs\/(heads|tags)\//, ''),
    isTag: push.ref.startsWith('refs/tags/'),
    before: push.before,
    after: push.after,
    isCreated: isZeroId(push.before) && !isDeleted,
    isDeleted,
    // "Test delivery" pushes the head of the default branch onto itself, or zeros onto zeros where there is no commit.
    isTest: push.before === push.after,
    // For an annotated tag `after` is the tag object.
    headCommitSha: isDeleted ? null : (push.head_commit?.id ?? push.after),
    headCommitMessage: push.head_commit?.message ?? null,
    pusher: push.pusher?.login ?? null,
  };
}

/** Ref and commit of the other events; what is not well-formed counts as absent, because it serves only to find the delivery again. */
function subject(payload: GiteaPayload): { ref: string | null; sha: string | null } {
  const { pull_request: pull, release, workflow_run: run } = payload;
  if (pull) return wellFormed('refs/pull/', `${payload.number ?? pull.number ?? ''}/head`, pull.head?.sha);
  if (release) return wellFormed('refs/tags/', release.tag_name, null);
  // `create` and `delete` carry the short name.
  if (payload.ref_type) return wellFormed(payload.ref_type === 'tag' ? 'refs/tags/' : 'refs/heads/', payload.ref, payload.sha);
  return wellFormed('', null, run?.head_sha ?? payload.sha);
}

function wellFormed(prefix: string, name: string | null | undefined, sha: string | null | undefined): { ref: string | null; sha: string | null } {
  return { ref: FULL_REF.safeParse(`${prefix}${name ?? ''}`).data ?? null, sha: OBJECT_ID.safeParse(sha).data ?? null };
}
