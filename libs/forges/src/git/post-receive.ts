import { Failure } from '@triphammer/foundation';
import { z } from 'zod';
import { type ForgeEvent, isZeroId, type Push, type RepositoryFacts } from '../forge-event';
import { BRANCH_NAME, FULL_REF, NAME_PART, OBJECT_ID } from '../wire-text';

const MAX_PATH = 1_024;

/** Below the connection's address: `app.git`, `team/app.git`. */
const REPOSITORY_PATH = z
  .string()
  .max(MAX_PATH)
  .refine((path) => path.split('/').every((part) => NAME_PART.safeParse(part).success), 'must be a path below the git server’s address, such as team/app.git');

/** What the hook script of `renderPostReceiveHook` posts for each ref; the message is base64, because a shell cannot escape it. */
const POST_RECEIVE = z.object({
  repository: REPOSITORY_PATH,
  default_branch: BRANCH_NAME,
  pusher: z.string().nullish(),
  ref: FULL_REF,
  before: OBJECT_ID,
  after: OBJECT_ID,
  head_commit: z.object({ id: OBJECT_ID, message_base64: z.base64() }).nullable(),
});

type PostReceive = z.output<typeof POST_RECEIVE>;

/** A push to a plain git server in our words. A repository that lies in no folder belongs to an owner named like the connection. */
export function readPostReceive(connectionName: string, json: Readonly<Record<string, unknown>>): ForgeEvent {
  const result = POST_RECEIVE.safeParse(json);
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
    throw new Failure('invalid-input', `The body is not what our post-receive hook sends. ${problems.join('; ')}`);
  }
  const push = convertPush(result.data);
  const repository = convertRepository(connectionName, result.data);
  return {
    event: 'push',
    action: null,
    repository,
    sender: push.pusher,
    ref: push.ref,
    sha: push.headCommitSha,
    push,
    payload: githubPayload(push, repository),
  };
}

function convertRepository(connectionName: string, { repository: path, default_branch: defaultBranch }: PostReceive): RepositoryFacts {
  const parts = path.replace(/\.git$/, '').split('/');
  const ownerName = parts.length > 1 ? (parts[0] as string) : connectionName;
  return {
    forgeRepositoryId: path,
    forgeOwnerId: ownerName,
    ownerName,
    name: parts.at(-1) as string,
    fullName: parts.join('/'),
    defaultBranch,
    // A git server does not say who may read.
    isPrivate: true,
    isArchived: false,
  };
}

function convertPush(post: PostReceive): Push {
  const isDeleted = isZeroId(post.after);
  return {
    ref: post.ref,
    refName: post.ref.replace(/^refs\/(heads|tags)\//, ''),
    isTag: post.ref.startsWith('refs/tags/'),
    before: post.before,
    after: post.after,
    isCreated: isZeroId(post.before) && !isDeleted,
    isDeleted,
    isTest: post.before === post.after,
    headCommitSha: isDeleted ? null : (post.head_commit?.id ?? post.after),
    headCommitMessage: post.head_commit ? Buffer.from(post.head_commit.message_base64, 'base64').toString('utf8') : null,
    pusher: post.pusher ?? null,
  };
}

/** Workflows read `github.event` as GitHub shapes a push, so that is what they get. */
function githubPayload(push: Push, repository: RepositoryFacts): Record<string, unknown> {
  return {
    ref: push.ref,
    before: push.before,
    after: push.after,
    created: push.isCreated,
    deleted: push.isDeleted,
    commits: [],
    head_commit: push.headCommitSha === null ? null : { id: push.headCommitSha, message: push.headCommitMessage ?? '' },
    repository: {
      name: repository.name,
      full_name: repository.fullName,
      private: repository.isPrivate,
      default_branch: repository.defaultBranch,
      owner: { login: repository.ownerName, name: repository.ownerName },
    },
    pusher: { name: push.pusher ?? '' },
    sender: { login: push.pusher ?? '' },
  };
}
