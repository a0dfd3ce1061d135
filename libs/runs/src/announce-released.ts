import { hint, publish } from '@triphammer/events';
import type { Tx } from '@triphammer/models';
import type { Job } from '@triphammer/models/runs';

/** Tells the dispatchers of jobs that may be claimed now: one hint for each queue, one event for each job. */
export async function announceReleased(tx: Tx, jobs: readonly Pick<Job, 'id' | 'runId' | 'labelKey' | 'ownerId' | 'repositoryId'>[]): Promise<void> {
  const queues = new Map<string, { first: (typeof jobs)[number]; count: number }>();
  for (const job of jobs) {
    const name = `${job.labelKey} ${job.repositoryId}`;
    queues.set(name, { first: job, count: (queues.get(name)?.count ?? 0) + 1 });
  }
  for (const { first, count } of queues.values()) {
    await hint(tx, 'jobs.released', { labelKey: first.labelKey, ownerId: first.ownerId, repositoryId: first.repositoryId, count });
  }
  await publish(
    tx,
    'job.released',
    jobs.map((job) => ({ runId: job.runId, jobId: job.id })),
  );
}
