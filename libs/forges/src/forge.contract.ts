import { describe, expect, it } from '@jest/globals';
import type { Forge } from './forge';

export interface ForgeUnderTest {
  readonly name: string;
  /** A forge that answers at `address`, or one that nobody answers for. */
  readonly open: (credential: { readonly username: string | null; readonly token: string | null }) => Promise<Forge>;
  readonly openUnreachable: () => Promise<Forge>;
  /** Of the repository below. */
  readonly expectedRemote: () => string;
  /** Whose credential it says that it has. */
  readonly username: string | null;
}

const REPOSITORY = { forgeRepositoryId: 'team/app.git', forgeFullName: 'team/app' };

/** What holds for every kind of forge. */
export function forgeContract(subject: ForgeUnderTest): void {
  describe(`${subject.name}, as every forge`, () => {
    it('tells git where a repository is', async () => {
      const remote = (await subject.open({ username: null, token: null })).gitRemote(REPOSITORY);

      expect(remote).toEqual(remote.kind === 'path' ? { kind: 'path', path: subject.expectedRemote() } : { kind: 'http', url: subject.expectedRemote() });
    });

    it('says when it works', async () => {
      await expect((await subject.open({ username: null, token: null })).verify()).resolves.toEqual({ username: subject.username });
    });

    it('says when nobody answers', async () => {
      await expect((await subject.openUnreachable()).verify()).rejects.toMatchObject({ code: 'upstream-failed' });
    });
  });
}

/** What holds for those that git reaches by http. */
export function httpForgeContract(subject: ForgeUnderTest): void {
  describe(`${subject.name}, as every forge by http`, () => {
    it.each([
      [{ username: 'bot', token: 'canary' }, 'bot:canary'],
      [{ username: null, token: 'canary' }, 'token:canary'],
    ])('hands its credential to git apart from the address (%#)', async (credential, pair) => {
      const remote = (await subject.open(credential)).gitRemote(REPOSITORY);

      expect(remote).toEqual({ kind: 'http', url: subject.expectedRemote(), authorization: `Basic ${Buffer.from(pair).toString('base64')}` });
    });
  });
}
