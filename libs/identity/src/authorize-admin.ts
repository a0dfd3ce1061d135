import { equalInConstantTime, Failure, sha256 } from '@triphammer/foundation';

const CREDENTIALS = /^(bearer|token|basic) +(\S+)$/i;

/**
 * Checks an `Authorization` header against the admin token, however it is spelt: `Bearer X`, `token X`, or Basic with X as the
 * password. The check throws `unauthenticated`; it compares digests, so its time says nothing, not even about the length.
 */
export function authorizeAdmin(adminToken: string): (authorization: string | undefined) => void {
  const expected = sha256(adminToken);
  return (authorization) => {
    if (!authorization) {
      throw new Failure('unauthenticated', 'This needs the admin token: send it as "Authorization: Bearer TOKEN". It is the setting ADMIN_TOKEN.');
    }
    const presented = presentedToken(authorization);
    if (presented === undefined || !equalInConstantTime(sha256(presented), expected)) {
      throw new Failure('unauthenticated', 'The token in the Authorization header is not the admin token of this installation (the setting ADMIN_TOKEN).');
    }
  };
}

function presentedToken(authorization: string): string | undefined {
  const [, scheme, value] = CREDENTIALS.exec(authorization.trim()) ?? [];
  if (scheme === undefined || value === undefined) return undefined;
  if (scheme.toLowerCase() !== 'basic') return value;
  const pair = Buffer.from(value, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon < 0 ? undefined : pair.slice(colon + 1);
}
