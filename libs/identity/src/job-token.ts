import { Failure } from '@triphammer/foundation';
import { sign, verify } from 'jsonwebtoken';
import { z } from 'zod';
import { deriveKey } from './derive-key';

const ALGORITHM = 'HS256';

const CLAIMS = z.object({
  taskId: z.int().positive(),
  jobId: z.int().positive(),
  runId: z.int().positive(),
  repositoryId: z.int().positive(),
  ownerId: z.int().positive(),
});

/** Whom a job token speaks for. */
export type JobTokenClaims = z.output<typeof CLAIMS>;

/**
 * The token of one task (`GITHUB_TOKEN`, git's Basic password, the artifact client's runtime token): a JWT of URL-safe
 * characters, without an expiry. It lives as long as its task does, which whoever verifies it has to look up.
 */
export function signJobToken(secretKey: string, claims: JobTokenClaims): string {
  const { taskId, jobId, runId, repositoryId, ownerId } = claims;
  // The artifact client takes run and job from `scp` and refuses a token without it.
  const payload = { taskId, jobId, runId, repositoryId, ownerId, scp: `Actions.Results:${runId}:${jobId}` };
  return sign(payload, signingKey(secretKey), { algorithm: ALGORITHM, noTimestamp: true });
}

/** The claims of a token that we signed; throws `unauthenticated` for any other text. Whether the task still lives is not known here. */
export function verifyJobToken(secretKey: string, token: string): JobTokenClaims {
  try {
    return CLAIMS.parse(verify(token, signingKey(secretKey), { algorithms: [ALGORITHM] }));
  } catch (error) {
    throw new Failure('unauthenticated', 'This is not a job token of this installation.', { cause: error });
  }
}

function signingKey(secretKey: string): Buffer {
  return deriveKey(secretKey, 'job tokens');
}
