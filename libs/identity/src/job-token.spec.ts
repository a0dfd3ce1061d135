import { describe, expect, it } from '@jest/globals';
import { sign } from 'jsonwebtoken';
import { deriveKey } from './derive-key';
import { signJobToken, verifyJobToken } from './job-token';

const KEY = 'k'.repeat(32);
const CLAIMS = { taskId: 1, jobId: 2, runId: 3, repositoryId: 4, ownerId: 5 };

describe('a job token', () => {
  it('gives its claims back', () => {
    expect(verifyJobToken(KEY, signJobToken(KEY, CLAIMS))).toEqual(CLAIMS);
  });

  it('passes through a Basic credential and a URL as it is', () => {
    const token = signJobToken(KEY, CLAIMS);

    expect(token).toMatch(/^[\w.-]+$/);
    expect(token).not.toContain(':');
    expect(encodeURIComponent(token)).toBe(token);
  });

  it('names run and job to the artifact client, and no end of its life', () => {
    const payload = JSON.parse(Buffer.from(signJobToken(KEY, CLAIMS).split('.')[1] as string, 'base64url').toString());

    expect(payload).toEqual({ ...CLAIMS, scp: 'Actions.Results:3:2' });
  });

  const jobKey = deriveKey(KEY, 'job tokens');
  it.each([
    ['another key', signJobToken('o'.repeat(32), CLAIMS)],
    ['no signature', sign(CLAIMS, '', { algorithm: 'none' })],
    ['the key of another purpose', sign(CLAIMS, deriveKey(KEY, 'sealed secrets'))],
    ['SECRET_KEY itself', sign(CLAIMS, KEY)],
    ['another algorithm', sign(CLAIMS, jobKey, { algorithm: 'HS512' })],
    ['a claim missing', sign({ ...CLAIMS, taskId: undefined }, jobKey)],
    ['a claim of another type', sign({ ...CLAIMS, taskId: '1' }, jobKey)],
    ['changed claims', signJobToken(KEY, CLAIMS).replace(/\.[^.]+\./, `.${Buffer.from(JSON.stringify({ ...CLAIMS, ownerId: 6 })).toString('base64url')}.`)],
    ['no token at all', 'hunter2'],
    ['nothing', ''],
  ])('is refused with %s', (_what, token) => {
    expect(() => verifyJobToken(KEY, token)).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
  });
});
