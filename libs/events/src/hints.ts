import type { Tx } from '@triphammer/models';
import { z } from 'zod';

const id = z.number().int();

/**
 * What every replica should hear at once and may miss: each is backed by a look at the database at a longer interval.
 * They travel by Postgres' own notification, so they come after the commit and never without it.
 */
export const HINT_TABLE = {
  /** Jobs became claimable. */
  'jobs.released': z.object({ labelKey: id, ownerId: id, repositoryId: id, count: id }),
  /** A runner was registered, changed its labels, or was retired. */
  'runner.changed': z.object({ runnerId: id }),
} as const satisfies Record<string, z.ZodObject>;

export type HintName = keyof typeof HINT_TABLE;
export type HintPayload<Name extends HintName> = z.output<(typeof HINT_TABLE)[Name]>;

export const HINT_CHANNEL = 'triphammer_hint';

/** What hears hints; the platform has one for the process. */
export interface Hints {
  on<Name extends HintName>(name: Name, hear: (payload: HintPayload<Name>) => void): void;
  /** Called when hints may have been missed, because the connection was lost: read everything again. */
  onGap(reload: () => void): void;
}

/** Nest's token for the process's `Hints`. */
export const HINTS = Symbol('Hints');

/** Tells all replicas, when the transaction commits. */
export async function hint<Name extends HintName>(tx: Tx, name: Name, payload: HintPayload<Name>): Promise<void> {
  await tx.sql.query({ name: 'hint', text: `select pg_notify('${HINT_CHANNEL}', $1)`, values: [JSON.stringify({ name, payload })] });
}
