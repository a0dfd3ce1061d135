/** Node itself allows 16 KiB of headers; no job token comes near this. */
const MAX_HEADER_LENGTH = 8_192;
const AUTHORIZATION = /^(basic|bearer|token) +([^\s]+) *$/i;

/**
 * The token in an `Authorization` header; `undefined` where there is none. Scheme names compare without case: checkout
 * writes `basic`. Of Basic it is the password whatever the user's name is, or the user's name where the password says nothing.
 */
export function tokenFromAuthorization(header: string | undefined): string | undefined {
  if (header === undefined || header.length > MAX_HEADER_LENGTH) return undefined;
  const [, scheme, credentials] = AUTHORIZATION.exec(header) ?? [];
  if (scheme === undefined || credentials === undefined) return undefined;
  return scheme.toLowerCase() === 'basic' ? tokenOfBasic(credentials) : credentials;
}

function tokenOfBasic(credentials: string): string | undefined {
  const text = Buffer.from(credentials, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return undefined;
  const password = text.slice(colon + 1);
  // `https://TOKEN@host` and `https://TOKEN:x-oauth-basic@host` are the forges' ways to write a token as the user's name.
  const token = password === '' || password === 'x-oauth-basic' ? text.slice(0, colon) : password;
  return token === '' ? undefined : token;
}
