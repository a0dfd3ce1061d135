import { describe, expect, it } from '@jest/globals';
import { Failure, FAILURE_CODES } from '@triphammer/foundation';
import { refuse } from './refusal';

describe('a refusal', () => {
  it.each(FAILURE_CODES)('of %s is a text with an error status, so that git shows it', (code) => {
    const refusal = refuse(new Failure(code, 'because', { cause: new Error('secret') }));

    expect(refusal).toMatchObject({ outcome: code, body: 'because\n', headers: { 'content-type': 'text/plain; charset=utf-8' } });
    expect(refusal.status).toBeGreaterThanOrEqual(400);
    expect('www-authenticate' in refusal.headers).toBe(refusal.status === 401);
  });

  it('of a defect tells nothing of it', () => {
    expect(refuse(new Error('select * from secret'))).toMatchObject({ status: 500, outcome: 'failed', body: expect.not.stringContaining('secret') });
  });
});
