import { describe, expect, it } from '@jest/globals';
import type { ForgeEvent, Push } from '@triphammer/forges';
import { guardEvent } from './guard-event';

const push: Push = {
  ref: 'refs/heads/main',
  refName: 'main',
  isTag: false,
  before: '0'.repeat(40),
  after: 'a'.repeat(40),
  isCreated: true,
  isDeleted: false,
  isTest: false,
  headCommitSha: 'a'.repeat(40),
  headCommitMessage: 'a change',
  pusher: 'dev',
};

const event = (facts: Partial<ForgeEvent> = {}, pushFacts: Partial<Push> = {}): ForgeEvent => ({
  event: 'push',
  action: null,
  repository: {
    forgeRepositoryId: '1',
    forgeOwnerId: '1',
    ownerName: 'acme',
    name: 'demo',
    fullName: 'acme/demo',
    defaultBranch: 'main',
    isPrivate: true,
    isArchived: false,
  },
  sender: 'dev',
  ref: push.ref,
  sha: push.headCommitSha,
  push: { ...push, ...pushFacts },
  payload: {},
  ...facts,
});

describe('an event', () => {
  it('that is an ordinary push has its workflows looked at', () => {
    expect(guardEvent(event())).toBeUndefined();
    expect(guardEvent(event({}, { headCommitMessage: null }))).toBeUndefined();
  });

  it.each([
    ['no push', event({ event: 'issues', push: null }), 'event-not-supported-yet', 'not supported yet'],
    ['a deletion', event({}, { isDeleted: true, headCommitSha: null }), 'ref-deleted', 'refs/heads/main was deleted'],
    ['a commit that says so', event({}, { headCommitMessage: 'docs\n\n[skip ci]' }), 'skip-string', '[skip ci]'],
  ])('that is %s starts nothing, and says why', (_case, stored, code, text) => {
    expect(guardEvent(stored)).toMatchObject({ code, text: expect.stringContaining(text) });
  });

  it('of an archived repository starts nothing', () => {
    const { repository } = event();

    expect(guardEvent(event({ repository: repository && { ...repository, isArchived: true } }))).toMatchObject({ code: 'repository-archived' });
  });
});
