export { type EventName, type EventPayload } from './catalogue';
export { publish, OUTBOX_CHANNEL, OUTBOX_SHARDS } from './outbox';
export { handleOnce } from './inbox';
export { hint, HINTS, HINT_TABLE, HINT_CHANNEL, type HintName, type HintPayload, type Hints } from './hints';
export { type Message, type MessageHandler } from './message';
export { backOffMs, type Consumer, type EventTransport, type OutboxMessage, type TransportLog } from './transport';
