import { DeadLetter } from './dead-letter.entity';
import { InboxEntry } from './inbox-entry.entity';
import { OutboxEntry } from './outbox-entry.entity';

export { DeadLetter, InboxEntry, OutboxEntry };
export const EVENT_ENTITIES = [OutboxEntry, InboxEntry, DeadLetter] as const;
