import { describe, expect, it } from '@jest/globals';
import { admit, type CloneProxyDeps, type CloneTarget } from './clone-target';

const OWN: CloneTarget = { repositoryId: 1, remote: { kind: 'path', path: '/srv/app' } };
const app = { owner: 'team', name: 'app' };
const renamed = { owner: 'Crew', name: 'Tool' };
const other = { owner: 'team', name: 'other' };
const unknown = { owner: 'team', name: 'nothing' };

describe('a repository', () => {
  it.each(['Bearer running', 'token running', `basic ${Buffer.from('x-access-token:running').toString('base64')}`])(
    'is given to a token of its own running job, spelt %s',
    async (authorization) => {
      expect(await admit(deps(), authorization, app)).toBe(OWN);
    },
  );

  it.each([undefined, 'Negotiate abc', 'Bearer unknown'])('is refused with a challenge to %s, known or not', async (authorization) => {
    const asked: number[] = [];

    for (const name of [app, unknown]) {
      await expect(admit(deps(asked), authorization, name)).rejects.toMatchObject({ code: 'unauthenticated' });
    }

    expect(asked).toEqual([]);
  });

  it('is forbidden to the token of a job that is over, with the job and the time', async () => {
    await expect(admit(deps(), 'Bearer over', app)).rejects.toMatchObject({
      code: 'forbidden',
      message: 'The token died with its job: build (ubuntu) ended at 2026-01-02T03:04:05.000Z.',
    });
  });

  it('is given under the name that the job was told, and under the one that it has since', async () => {
    expect(await admit(deps(), 'Bearer running', app)).toBe(OWN);
    expect(await admit(deps(), 'Bearer running', renamed)).toBe(OWN);
  });

  it("is not found when it is another's, just as when there is none", async () => {
    const foreign = await admit(deps(), 'Bearer running', other).catch((error: unknown) => error);
    const missing = await admit(deps(), 'Bearer running', unknown).catch((error: unknown) => error);

    expect(foreign).toMatchObject({ code: 'not-found' });
    expect(foreign).toEqual(missing);
  });
});

function deps(asked: number[] = []): CloneProxyDeps {
  return {
    verifyJobToken: async (token) => {
      const access = { repositoryId: 1, names: ['Team/App', 'crew/tool'] };
      if (token === 'running') return access;
      return token === 'over' ? { ...access, ended: { job: 'build (ubuntu)', at: new Date('2026-01-02T03:04:05Z') } } : undefined;
    },
    readRepository: async (repositoryId) => {
      asked.push(repositoryId);
      return OWN;
    },
    refreshRepository: async () => undefined,
  };
}
