import type { MessageHandler } from './message';

/** A named handler of one event; the name keys its inbox rows, its durable and its dead letters. */
export interface Consumer {
  readonly event: string;
  readonly consumer: string;
  readonly handle: MessageHandler;
}

/** An outbox row, as the relay hands it on. */
export interface OutboxMessage {
  readonly id: number;
  readonly event: string;
  readonly payload: Record<string, unknown>;
  /** Failed tries so far. */
  readonly attempts: number;
}

/** Carries events from the outbox to the consumers: within one process, or over NATS JetStream. */
export interface EventTransport {
  /** Starts delivering to these consumers; called once. */
  listen(consumers: readonly Consumer[]): Promise<void>;
  /** Takes a row over: once this resolves the row may be deleted, because each consumer has it or will get it. */
  deliver(message: OutboxMessage): Promise<void>;
  /** Throws when events cannot travel now; for readiness. */
  check(): Promise<void>;
  /** Stops taking messages and waits for the handlers under way; a second call does nothing. */
  close(): Promise<void>;
}

/** What a transport tells the log. */
export interface TransportLog {
  warn(fields: Record<string, unknown>, text: string): void;
  error(fields: Record<string, unknown>, text: string): void;
}

/** A consumer that failed this often gets no further try; the message goes to `dead_letter`. */
export const MAX_TRIES = 12;

/** 0.2 s doubling up to 5 minutes: twelve tries take about 25 minutes. */
export function backOffMs(attempts: number): number {
  return Math.min(300_000, 200 * 2 ** attempts);
}
