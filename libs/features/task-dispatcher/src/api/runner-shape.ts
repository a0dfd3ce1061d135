import type { RunnerRecord } from '@triphammer/runs';
import { z } from 'zod';

const LABEL = z.object({ id: z.int(), name: z.string(), type: z.string() });

/** Gitea's `ActionRunner`; what stands below `labels` is ours. */
export const RUNNER = z.object({
  id: z.int(),
  name: z.string(),
  status: z.enum(['online', 'offline']),
  busy: z.boolean(),
  disabled: z.boolean(),
  ephemeral: z.boolean(),
  labels: z.array(LABEL),
  uuid: z.string(),
  version: z.string(),
  owner: z.string().nullable().describe('The owner whose jobs alone it takes'),
  repository: z.string().nullable().describe('The repository whose jobs alone it takes'),
  created_at: z.iso.datetime(),
  last_seen_at: z.iso.datetime().optional(),
});

export const RUNNER_LIST = z.object({ total_count: z.int(), runners: z.array(RUNNER) });

/** A runner counts as online when it was seen since `onlineSince`. */
export function showRunner(runner: RunnerRecord, onlineSince: Date): z.input<typeof RUNNER> {
  const isOnline = runner.lastSeenAt !== null && runner.lastSeenAt >= onlineSince;
  return {
    id: runner.id,
    name: runner.name,
    status: isOnline ? 'online' : 'offline',
    busy: runner.tasks > 0,
    disabled: false,
    ephemeral: runner.ephemeral,
    labels: runner.labels.map((name, id) => ({ id, name, type: 'custom' })),
    uuid: runner.uuid,
    version: runner.version,
    owner: runner.owner,
    repository: runner.repository,
    created_at: runner.createdAt.toISOString(),
    last_seen_at: runner.lastSeenAt?.toISOString(),
  };
}
