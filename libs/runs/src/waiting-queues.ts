import type { Sql } from '@triphammer/models';

export interface UnconfirmedClaim {
  readonly taskId: number;
  readonly jobId: number;
  readonly runId: number;
  readonly runnerId: number;
  readonly requestKey: string;
}

export interface WaitingQueues {
  /** Keys of label sets of which at least one job waits. */
  readonly labelKeys: readonly number[];
  /** Claims under a request key whose runner has not been heard of since. */
  readonly unconfirmed: readonly UnconfirmedClaim[];
}

/**
 * What there is to claim, for the memory of a dispatcher. Costs one step of the index for each label set that waits, not
 * one for each job: the recursion jumps from key to key.
 */
export async function readWaitingQueues(sql: Sql): Promise<WaitingQueues> {
  const found = await sql.query<{ labelKeys: number[]; unconfirmed: UnconfirmedClaim[] }>({
    name: 'waiting-queues',
    text: `with recursive queue as (
             (select label_key from job where status = 'waiting' order by label_key limit 1)
             union all
             select (select label_key from job where status = 'waiting' and label_key > queue.label_key order by label_key limit 1)
               from queue where queue.label_key is not null
           )
           select coalesce((select json_agg(label_key) from queue where label_key is not null), '[]') as "labelKeys",
                  coalesce((select json_agg(json_build_object('taskId', id, 'jobId', job_id, 'runId', run_id, 'runnerId', runner_id, 'requestKey', request_key))
                              from task where status = 'claimed' and request_key is not null), '[]') as unconfirmed`,
  });
  return found.rows[0] ?? { labelKeys: [], unconfirmed: [] };
}

/** Every label set that was ever asked for, by its key. */
export async function readLabelSets(sql: Sql): Promise<ReadonlyMap<number, readonly string[]>> {
  const found = await sql.query<{ labelKey: number; labels: string[] }>({ name: 'label-sets', text: 'select label_key as "labelKey", labels from label_set' });
  return new Map(found.rows.map((row) => [row.labelKey, row.labels]));
}
