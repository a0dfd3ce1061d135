import { Failure } from '@triphammer/foundation';
import { z } from 'zod';
import { BRANCH_NAME, FULL_REF, NAME_PART, OBJECT_ID } from '../wire-text';

/** Gitea leaves fields out or sends null for what was deleted; only what an event cannot do without is demanded. */
const USER = z.object({ id: z.int(), login: z.string() });

export const GITEA_REPOSITORY = z.object({
  id: z.int().positive(),
  owner: z.object({ id: z.int().positive(), login: NAME_PART }),
  name: NAME_PART,
  default_branch: BRANCH_NAME.nullish(),
  private: z.boolean().nullish(),
  archived: z.boolean().nullish(),
});

const COMMIT = z.object({ id: OBJECT_ID, message: z.string().nullish() });

const PAYLOAD = z.object({
  action: z
    .string()
    .regex(/^\w{1,100}$/)
    .nullish(),
  repository: GITEA_REPOSITORY.nullish(),
  /** In `fork` events the repository that was forked; `repository` is the new one. */
  forkee: GITEA_REPOSITORY.nullish(),
  sender: USER.nullish(),
  ref: z.string().nullish(),
  ref_type: z.string().nullish(),
  sha: z.string().nullish(),
  number: z.int().nullish(),
  pull_request: z.object({ number: z.int().nullish(), head: z.object({ sha: z.string().nullish() }).nullish() }).nullish(),
  release: z.object({ tag_name: z.string().nullish() }).nullish(),
  workflow_run: z.object({ head_sha: z.string().nullish() }).nullish(),
});

const PUSH = z.object({
  ref: FULL_REF,
  before: OBJECT_ID,
  after: OBJECT_ID,
  head_commit: COMMIT.nullish(),
  pusher: USER.nullish(),
});

export type GiteaRepository = z.output<typeof GITEA_REPOSITORY>;
export type GiteaPayload = z.output<typeof PAYLOAD>;
export type GiteaPush = z.output<typeof PUSH>;

/** What all events share, in Gitea's words. Throws `invalid-input` and names the fields that do not fit. */
export function parsePayload(payload: unknown): GiteaPayload {
  return check(PAYLOAD, payload);
}

export function parsePush(payload: unknown): GiteaPush {
  return check(PUSH, payload);
}

function check<Value>(schema: z.ZodType<Value>, payload: unknown): Value {
  const result = schema.safeParse(payload);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Failure('invalid-input', `The payload is not what Gitea sends. ${problems.join('; ')}`);
}
