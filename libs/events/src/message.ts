import { Failure } from '@triphammer/foundation';
import { EVENTS, type EventName, type EventPayload } from './catalogue';

/** One event on its way to one consumer. */
export interface Message<Name extends EventName = EventName> {
  /** The outbox row's id, the same at every consumer and at every try. */
  readonly id: number;
  readonly event: Name;
  readonly consumer: string;
  readonly payload: EventPayload<Name>;
}

export type MessageHandler = (message: Message) => Promise<void>;

/** Checks a payload that came over a bus against the catalogue. */
export function readMessage(id: number, event: string, consumer: string, payload: unknown): Message {
  if (!(event in EVENTS)) throw new Failure('corrupt', `Message ${id} has the unknown event "${event}"`);
  const parsed = EVENTS[event as EventName].safeParse(payload);
  if (!parsed.success) throw new Failure('corrupt', `Message ${id} (${event}) has a payload that does not fit`, { cause: parsed.error });
  return { id, event: event as EventName, consumer, payload: parsed.data };
}
