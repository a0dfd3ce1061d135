import { HTTP_STATUS, isFailure } from '@triphammer/foundation';
import type { GitAnswer, Outcome } from './git-call';

const STATUS_OF = { ...HTTP_STATUS, 'invalid-input': 400 };

/**
 * Git shows a text/plain body as `remote: …` lines, of JSON only the status, and takes a 200 with a page for an empty
 * repository. Of a 401 it shows the body only when it had asked with credentials of the URL.
 */
export function refuse(error: unknown): GitAnswer {
  if (isFailure(error)) return text(STATUS_OF[error.code], error.code, error.message);
  const status = (error as { statusCode?: unknown }).statusCode;
  if (typeof status === 'number' && status >= 400 && status < 500) return text(status, 'invalid-input', (error as Error).message);
  return text(500, 'failed', 'The request failed on our side; the log has the cause.');
}

export function refuseMethod(allowed: string): GitAnswer {
  const refusal = text(405, 'unsupported', `Only ${allowed} is served here.`);
  return { ...refusal, headers: { ...refusal.headers, allow: allowed } };
}

/** git-lfs shows the `message` of its own media type alone. */
export function refuseLfs(): GitAnswer {
  return {
    status: STATUS_OF.unsupported,
    outcome: 'unsupported',
    headers: { 'content-type': 'application/vnd.git-lfs+json; charset=utf-8' },
    body: JSON.stringify({ message: 'Git LFS objects are not served in this version; fetch them from the forge itself.' }),
  };
}

function text(status: number, outcome: Outcome, message: string): GitAnswer {
  const challenge = status === STATUS_OF.unauthenticated ? { 'www-authenticate': 'Basic realm="Triphammer"' } : {};
  return { status, outcome, headers: { 'content-type': 'text/plain; charset=utf-8', ...challenge }, body: `${message}\n` };
}
