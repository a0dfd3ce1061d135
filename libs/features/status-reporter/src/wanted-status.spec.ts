import { describe, expect, it } from '@jest/globals';
import type { ShownStatus } from '@triphammer/workflows';
import { type StatusJob, wantedStatus } from './wanted-status';

const job: StatusJob = {
  jobId: 7,
  runId: 3,
  repositoryId: 1,
  ownerName: 'acme',
  repositoryName: 'demo',
  sha: 'c0ffee',
  context: 'ci / build (push)',
  status: 'success',
  startedAt: new Date('2026-01-01T00:00:00Z'),
  stoppedAt: new Date('2026-01-01T00:01:05Z'),
};

describe("a job's commit status", () => {
  it.each<[ShownStatus, string, string]>([
    ['waiting', 'pending', 'Waiting to run'],
    ['blocked', 'pending', 'Blocked by required conditions'],
    ['running', 'pending', 'In progress'],
    ['success', 'success', 'Successful in 1m5s'],
    ['failure', 'failure', 'Failing after 1m5s'],
    ['cancelled', 'failure', 'Canceled after 1m5s'],
    ['skipped', 'skipped', 'Skipped'],
  ])('of one that is %s is %s: %s', (status, state, description) => {
    expect(wantedStatus({ ...job, status }, 'https://ci.example.org/ci')).toMatchObject({ state, description, context: 'ci / build (push)', jobId: 7 });
  });

  it('leads to the job', () => {
    expect(wantedStatus(job, 'https://ci.example.org/ci').targetUrl).toBe('https://ci.example.org/ci/acme/demo/actions/runs/3/jobs/7');
  });
});
