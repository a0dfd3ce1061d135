import { poolOf } from '@triphammer/models';
import type { DataSource } from 'typeorm';

interface Undeliverable {
  readonly consumer: string;
  readonly id: number;
  readonly event: string;
  readonly payload: unknown;
  readonly attempts: number;
  readonly error: unknown;
}

/** Keeps a message that its consumer could not handle, for a person to look at and to send again. */
export async function writeDeadLetter(dataSource: DataSource, letter: Undeliverable): Promise<void> {
  await poolOf(dataSource).query({
    name: 'dead-letter-write',
    text: `insert into dead_letter (consumer, message_id, event, payload, error, attempts) values ($1, $2, $3, $4, $5, $6)
           on conflict (consumer, message_id) do update set error = excluded.error, attempts = excluded.attempts, failed_at = now()`,
    values: [letter.consumer, letter.id, letter.event, JSON.stringify(letter.payload), describe(letter.error), letter.attempts],
  });
}

function describe(error: unknown): string {
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 2_000);
}
