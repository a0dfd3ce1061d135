import { equalInConstantTime, Failure, hmacSha256Hex, sha256Hex } from '@triphammer/foundation';
import type { ForgeKind } from '@triphammer/models/forges';
import type { ForgeEvent } from './forge-event';
import { readPostReceive } from './git/post-receive';
import { readGiteaEvent } from './gitea/convert';
import { readJsonObject } from './read-json';

/** In lower case, as node:http gives them. */
export type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>;

interface Dialect {
  /** Headers that may carry the signature, HMAC-SHA256 in hex with or without `sha256=` before it; the first that is there counts. */
  readonly signatureHeaders: readonly string[];
  readonly deliveryHeaders: readonly string[];
  /** Finest first. */
  readonly eventHeaders: readonly string[];
  /** For a sender without event headers. */
  readonly onlyEvent?: string;
  readonly read: (connectionName: string, event: string, json: Readonly<Record<string, unknown>>) => ForgeEvent;
}

const DIALECTS: Readonly<Record<ForgeKind, Dialect>> = {
  gitea: {
    signatureHeaders: ['x-gitea-signature', 'x-forgejo-signature', 'x-hub-signature-256'],
    deliveryHeaders: ['x-gitea-delivery', 'x-forgejo-delivery', 'x-github-delivery'],
    eventHeaders: ['x-gitea-event-type', 'x-forgejo-event-type', 'x-gitea-event', 'x-forgejo-event'],
    read: (_connectionName, event, json) => readGiteaEvent(event, json),
  },
  git: {
    signatureHeaders: ['x-triphammer-signature'],
    // The hook puts a random number into the signed body: its digest tells deliveries apart, and a replay cannot pass for a new one.
    deliveryHeaders: [],
    eventHeaders: [],
    onlyEvent: 'push',
    read: (connectionName, _event, json) => readPostReceive(connectionName, json),
  },
};

const EVENT_NAME = /^[a-z][a-z_]{0,60}$/;
const DELIVERY_KEY = /^[\w.:-]{1,100}$/;

/** Whether these exact bytes were signed with `secret`. An empty signature, which forges send when no secret is set, is none. */
export function isSigned(kind: ForgeKind, headers: WebhookHeaders, body: Buffer, secret: string): boolean {
  const signature = firstOf(headers, DIALECTS[kind].signatureHeaders)
    ?.replace(/^sha256=/, '')
    .toLowerCase();
  return signature !== undefined && signature !== '' && equalInConstantTime(signature, hmacSha256Hex(secret, body));
}

/** The header in which this kind of forge signs is there at all; without it there is no need to take a body in. */
export function hasSignature(kind: ForgeKind, headers: WebhookHeaders): boolean {
  return firstOf(headers, DIALECTS[kind].signatureHeaders) !== undefined;
}

/** Names a delivery without looking into it, so that one that cannot be read can be kept as well. */
export function identifyWebhook(kind: ForgeKind, headers: WebhookHeaders, body: Buffer): { readonly event: string; readonly deliveryKey: string } {
  const { eventHeaders, deliveryHeaders, onlyEvent } = DIALECTS[kind];
  const event = onlyEvent ?? firstOf(headers, eventHeaders);
  if (event === undefined || !EVENT_NAME.test(event)) {
    throw new Failure('invalid-input', `This connection expects webhooks of the type "${kind}", which name their event in the header ${eventHeaders[0]}.`);
  }
  const key = firstOf(headers, deliveryHeaders);
  return { event, deliveryKey: key !== undefined && DELIVERY_KEY.test(key) ? key : `sha256:${sha256Hex(body)}` };
}

/** What a signed body says. Throws `invalid-input` when it is not what this kind of forge sends. */
export function readForgeEvent(connection: { readonly kind: ForgeKind; readonly name: string }, event: string, body: Buffer): ForgeEvent {
  return DIALECTS[connection.kind].read(connection.name, event, readJsonObject(body));
}

function firstOf(headers: WebhookHeaders, names: readonly string[]): string | undefined {
  const value = names.map((name) => headers[name]).find((found) => found !== undefined);
  return typeof value === 'string' ? value : undefined;
}
