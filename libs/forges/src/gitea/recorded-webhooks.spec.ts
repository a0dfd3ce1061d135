import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { identifyWebhook, isSigned, readForgeEvent, type WebhookHeaders } from '../webhook';

const FOLDER = join(__dirname, '../../testdata/gitea-1.26');
const SECRET = 'topsecret';

// name of the recording, fine event name, action, sender, ref, beginning of the commit's id; all are about adm/events, number 2
const RECORDED = [
  ['create-branch', 'create', null, 'adm', 'refs/heads/feature', '162fa44e'],
  ['create-tag', 'create', null, 'adm', 'refs/tags/v1.0.0', '382f6e9d'],
  ['delete-branch', 'delete', null, 'adm', 'refs/heads/feature', null],
  ['delete-tag', 'delete', null, 'adm', 'refs/tags/v1.0.0', null],
  ['fork', 'fork', null, 'rev', null, null],
  ['issue_assign-assigned', 'issue_assign', 'assigned', 'adm', null, null],
  ['issue_comment-created', 'issue_comment', 'created', 'adm', null, null],
  ['issue_comment-deleted', 'issue_comment', 'deleted', 'adm', null, null],
  ['issue_comment-edited', 'issue_comment', 'edited', 'adm', null, null],
  ['issue_label-label_updated', 'issue_label', 'label_updated', 'adm', null, null],
  ['issue_milestone-milestoned', 'issue_milestone', 'milestoned', 'adm', null, null],
  ['issues-closed', 'issues', 'closed', 'adm', null, null],
  ['issues-edited', 'issues', 'edited', 'adm', null, null],
  ['issues-opened', 'issues', 'opened', 'adm', null, null],
  ['issues-reopened', 'issues', 'reopened', 'adm', null, null],
  ['pull_request-closed-merged', 'pull_request', 'closed', 'adm', 'refs/pull/3/head', 'ea7edbc4'],
  ['pull_request-closed', 'pull_request', 'closed', 'adm', 'refs/pull/1/head', '303da904'],
  ['pull_request-edited', 'pull_request', 'edited', 'adm', 'refs/pull/1/head', '303da904'],
  ['pull_request-opened-fork', 'pull_request', 'opened', 'rev', 'refs/pull/3/head', 'ea7edbc4'],
  ['pull_request-opened', 'pull_request', 'opened', 'adm', 'refs/pull/1/head', '162fa44e'],
  ['pull_request-reopened', 'pull_request', 'reopened', 'adm', 'refs/pull/1/head', '303da904'],
  ['pull_request_assign-assigned', 'pull_request_assign', 'assigned', 'adm', 'refs/pull/1/head', '303da904'],
  ['pull_request_assign-unassigned', 'pull_request_assign', 'unassigned', 'adm', 'refs/pull/1/head', '303da904'],
  ['pull_request_comment-created', 'pull_request_comment', 'created', 'adm', 'refs/pull/1/head', '303da904'],
  ['pull_request_label-added', 'pull_request_label', 'label_updated', 'adm', 'refs/pull/1/head', '303da904'],
  ['pull_request_label-removed', 'pull_request_label', 'label_updated', 'adm', 'refs/pull/1/head', '303da904'],
  ['pull_request_milestone-milestoned', 'pull_request_milestone', 'milestoned', 'adm', 'refs/pull/1/head', '303da904'],
  ['pull_request_review_approved-reviewed', 'pull_request_review_approved', 'reviewed', 'rev', 'refs/pull/1/head', '303da904'],
  ['pull_request_review_comment-reviewed', 'pull_request_review_comment', 'reviewed', 'rev', 'refs/pull/1/head', '303da904'],
  ['pull_request_review_rejected-reviewed', 'pull_request_review_rejected', 'reviewed', 'rev', 'refs/pull/1/head', '303da904'],
  ['pull_request_review_request-review_request_removed', 'pull_request_review_request', 'review_request_removed', 'adm', 'refs/pull/1/head', '303da904'],
  ['pull_request_review_request-review_requested', 'pull_request_review_request', 'review_requested', 'adm', 'refs/pull/1/head', '303da904'],
  ['pull_request_sync-synchronized', 'pull_request_sync', 'synchronized', 'adm', 'refs/pull/1/head', '303da904'],
  ['push-branch-create', 'push', null, 'adm', 'refs/heads/feature', '162fa44e'],
  ['push-branch-force', 'push', null, 'adm', 'refs/heads/forced', '3adabc19'],
  ['push-branch-merge', 'push', null, 'adm', 'refs/heads/main', '9b7ccebe'],
  ['push-branch-update', 'push', null, 'adm', 'refs/heads/main', '382f6e9d'],
  ['push-tag-create', 'push', null, 'adm', 'refs/tags/v1.0.0', '382f6e9d'],
  ['push-tag-delete', 'push', null, 'adm', 'refs/tags/v1.0.0', null],
  ['release-deleted', 'release', 'deleted', 'adm', 'refs/tags/v1.1.0', null],
  ['release-published', 'release', 'published', 'adm', 'refs/tags/v1.1.0', null],
  ['release-updated', 'release', 'updated', 'adm', 'refs/tags/v1.1.0', null],
  ['status-pending', 'status', null, 'gitea-actions', null, '382f6e9d'],
  ['status-success', 'status', null, 'adm', null, '303da904'],
  ['wiki-created', 'wiki', 'created', 'adm', null, null],
  ['workflow_job-queued', 'workflow_job', 'queued', 'adm', null, null],
  ['workflow_run-requested', 'workflow_run', 'requested', 'adm', null, '382f6e9d'],
] as const;

describe('a recorded delivery of Gitea 1.26', () => {
  it('has a row in the table below, each of them', () => {
    expect(RECORDED.map(([name]) => `${name}.json`).sort()).toEqual(readdirSync(FOLDER).sort());
  });

  it.each(RECORDED)('%s is signed and means what it meant', (name, event, action, sender, ref, sha) => {
    const { headers, body } = recording(name);

    const webhook = identifyWebhook('gitea', headers, body);
    const read = readForgeEvent({ kind: 'gitea', name: 'main' }, webhook.event, body);

    expect(isSigned('gitea', headers, body, SECRET)).toBe(true);
    expect(webhook).toEqual({ event, deliveryKey: headers['x-gitea-delivery'] });
    expect(read).toMatchObject({ event, action, sender, ref, sha: sha && expect.stringMatching(`^${sha}`) });
    expect(read.repository).toEqual({
      forgeRepositoryId: '2',
      forgeOwnerId: '1',
      ownerName: 'adm',
      name: 'events',
      fullName: 'adm/events',
      defaultBranch: 'main',
      isPrivate: false,
      isArchived: false,
    });
    expect(read.push === null).toBe(event !== 'push');
    expect(read.payload).toEqual(JSON.parse(body.toString()));
  });

  it.each(RECORDED.map(([name]) => name))('%s is not signed any more once a byte has changed', (name) => {
    const { headers, body } = recording(name);
    const changed = Buffer.from(body);
    changed[Math.floor(body.length / 2)] = (changed[Math.floor(body.length / 2)] as number) ^ 1;

    expect(isSigned('gitea', headers, changed, SECRET)).toBe(false);
  });
});

describe('a recorded push', () => {
  const SAME = { refName: 'main', isTag: false, isCreated: false, isDeleted: false, isTest: false, pusher: 'adm' };
  it.each([
    ['push-branch-update', { ...SAME, headCommitMessage: 'add b\n' }],
    ['push-branch-merge', { ...SAME, headCommitMessage: expect.stringMatching(/^Merge pull request/) }],
    ['push-branch-force', { ...SAME, refName: 'forced', headCommitMessage: '2\n' }],
    ['push-branch-create', { ...SAME, refName: 'feature', isCreated: true, before: '0'.repeat(40) }],
    ['push-tag-create', { ...SAME, refName: 'v1.0.0', isTag: true, isCreated: true, before: '0'.repeat(40) }],
    ['push-tag-delete', { ...SAME, refName: 'v1.0.0', isTag: true, isDeleted: true, after: '0'.repeat(40), headCommitSha: null, headCommitMessage: null }],
  ])('%s says what it did', (name, expected) => {
    expect(readForgeEvent({ kind: 'gitea', name: 'main' }, 'push', recording(name).body).push).toMatchObject(expected);
  });
});

function recording(name: string): { readonly headers: WebhookHeaders; readonly body: Buffer } {
  const { headers, body } = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as { headers: WebhookHeaders; body: string };
  return { headers, body: Buffer.from(body) };
}
