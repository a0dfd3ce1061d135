import { Counter } from 'prom-client';

/** What forges send; anything else shares one label, because whoever may sign could make up names without end. */
const EVENTS: ReadonlySet<string> = new Set([
  'create',
  'delete',
  'fork',
  'issue_assign',
  'issue_comment',
  'issue_label',
  'issue_milestone',
  'issues',
  'package',
  'pull_request',
  'pull_request_assign',
  'pull_request_comment',
  'pull_request_label',
  'pull_request_milestone',
  'pull_request_review_approved',
  'pull_request_review_comment',
  'pull_request_review_rejected',
  'pull_request_review_request',
  'pull_request_sync',
  'push',
  'release',
  'repository',
  'status',
  'wiki',
  'workflow_job',
  'workflow_run',
]);

const deliveries = new Counter({
  name: 'triphammer_hook_deliveries_total',
  help: 'Webhooks by forge connection, event and what was made of them on arrival.',
  labelNames: ['forge', 'event', 'verdict'] as const,
});

export type Verdict = 'received' | 'evaluated' | 'duplicate' | 'refused' | 'unsigned';

export function countDelivery(forge: string, event: string, verdict: Verdict): void {
  deliveries.inc({ forge, event: EVENTS.has(event) ? event : 'other', verdict });
}
