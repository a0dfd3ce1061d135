import { publish } from '@triphammer/events';
import { Failure, type FailureCode, isFailure } from '@triphammer/foundation';
import {
  type ForgeConnection,
  identifyWebhook,
  isSigned,
  type NewDelivery,
  openWebhookSecret,
  ensureRepository,
  ownerOf,
  type RepositoryFacts,
  readForgeEvent,
  type SecretBox,
  type StoredDelivery,
  storeDelivery,
  storeRefusedDelivery,
  type WebhookHeaders,
} from '@triphammer/forges';
import { ensureOwner } from '@triphammer/identity';
import { type Tx, transaction } from '@triphammer/models';
import type { DataSource } from 'typeorm';

export interface Webhook {
  readonly connection: ForgeConnection;
  readonly headers: WebhookHeaders;
  /** The exact bytes. */
  readonly body: Buffer;
}

export interface Receipt {
  readonly event: string;
  readonly delivery: StoredDelivery;
  /** Why it was kept and nothing more; absent when all is well. */
  readonly refusal?: Failure;
}

/** What is wrong with a signed webhook, not with us: it is kept, so that people find it with its reason. */
const KEPT: ReadonlySet<FailureCode> = new Set(['invalid-input', 'conflict']);

/**
 * Takes a webhook in: once this resolves it is stored, and its evaluation is announced in the same transaction. Throws
 * `unauthenticated` when the signature is not right, `invalid-input` when it names no event; then nothing is stored.
 */
export async function receiveWebhook(dataSource: DataSource, secrets: SecretBox, { connection, headers, body }: Webhook, now: Date): Promise<Receipt> {
  if (!isSigned(connection.kind, headers, body, openWebhookSecret(secrets, connection))) {
    throw new Failure(
      'unauthenticated',
      `The signature is missing or wrong: the secret of the webhook must be that of the forge connection "${connection.name}".`,
    );
  }
  const { event, deliveryKey } = identifyWebhook(connection.kind, headers, body);
  const signed = { connectionId: connection.id, deliveryKey, eventName: event, body };
  try {
    return { event, delivery: await transaction(dataSource, (tx) => store(tx, connection, signed, now)) };
  } catch (error) {
    if (!isFailure(error) || !KEPT.has(error.code)) throw error;
    const unread = { ...signed, event: null, repositoryId: null };
    return { event, delivery: await transaction(dataSource, (tx) => storeRefusedDelivery(tx, unread, error.message, now)), refusal: error };
  }
}

type Signed = Omit<NewDelivery, 'event' | 'repositoryId'>;

async function store(tx: Tx, connection: ForgeConnection, signed: Signed, now: Date): Promise<StoredDelivery> {
  const event = readForgeEvent(connection, signed.eventName, signed.body);
  const repositoryId = event.repository && (await follow(tx, connection, event.repository));
  const delivery = await storeDelivery(tx, { ...signed, event, repositoryId }, now);
  if (delivery.isNew && delivery.status === 'received') await publish(tx, 'forge-event.received', [{ deliveryId: delivery.id }]);
  return delivery;
}

/** Makes, renames or moves our records as the forge says. */
async function follow(tx: Tx, connection: ForgeConnection, facts: RepositoryFacts): Promise<number> {
  const owner = await ensureOwner(tx, ownerOf(connection, facts));
  return ensureRepository(tx, connection.id, facts, owner.id);
}
