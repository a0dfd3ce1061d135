import { Logger } from '@nestjs/common';
import { type Clock, Failure, type FailureCode, formatByteSize, isFailure } from '@triphammer/foundation';
import { findConnection, type ForgeConnection, hasSignature, type SecretBox } from '@triphammer/forges';
import { read } from '@triphammer/models';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DataSource } from 'typeorm';
import { countDelivery } from './metrics';
import { type Receipt, receiveWebhook } from './receive-webhook';

export interface WebhookDeps {
  readonly dataSource: DataSource;
  readonly secrets: SecretBox;
  readonly clock: Clock;
  readonly bodyLimit: number;
}

const logger = new Logger('Webhooks');

const STATUS_OF: Readonly<Partial<Record<FailureCode, number>>> = {
  'invalid-input': 400,
  unauthenticated: 401,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  unsupported: 415,
  unavailable: 503,
};

type Arrival = FastifyRequest<{ Params: { connectionId: string } }>;

/**
 * Serves `POST /webhooks/:connectionId`, where forges announce what happened. It answers as soon as the webhook is stored and
 * never waits for its evaluation: forges give up after five seconds, and try only once.
 */
export function mountWebhooks(fastify: FastifyInstance, deps: WebhookDeps): void {
  void fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The signature is over the bytes as they came.
    scope.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: deps.bodyLimit }, (_request, body, done) => done(null, body));
    scope.setErrorHandler<FastifyError | Failure>((error, request, reply) => refuse(error, deps, request as Arrival, reply));
    const connections = new WeakMap<FastifyRequest, ForgeConnection>();
    // Before the body: a stranger's megabytes are not taken in.
    const onRequest = async (request: Arrival) => {
      assertReadable(request);
      connections.set(request, await expectedConnection(deps, request));
    };
    scope.all<{ Params: { connectionId: string } }>('/webhooks/:connectionId', { onRequest }, async (request, reply) => {
      const connection = connections.get(request) as ForgeConnection;
      const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
      const receipt = await receiveWebhook(deps.dataSource, deps.secrets, { connection, headers: request.headers, body }, deps.clock.now());
      return acknowledge(receipt, connection, reply);
    });
  });
}

function assertReadable({ method, headers }: FastifyRequest): void {
  if (method !== 'POST') throw new Failure('unsupported', 'Webhooks are sent with POST. Set the HTTP method of the webhook to POST.');
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new Failure('unsupported', `This webhook came as ${type || 'nothing in particular'}. Set the content type of the webhook to application/json.`);
  }
  if (![undefined, 'identity'].includes(headers['content-encoding'])) {
    throw new Failure('unsupported', `This webhook came compressed (${headers['content-encoding']}). Send it as it is.`);
  }
}

async function expectedConnection(deps: WebhookDeps, { params, headers }: Arrival): Promise<ForgeConnection> {
  const id = /^[1-9]\d{0,14}$/.test(params.connectionId) ? Number(params.connectionId) : undefined;
  const connection = id === undefined ? null : await findConnection(read(deps.dataSource), id);
  if (!connection) throw new Failure('not-found', 'There is no such forge connection. The address to send webhooks to is shown when a forge is added.');
  if (hasSignature(connection.kind, headers)) return connection;
  countDelivery(connection.name, 'unknown', 'unsigned');
  throw new Failure('unauthenticated', `The webhook is not signed. Set its secret to that of the forge connection "${connection.name}".`);
}

function acknowledge({ event, delivery, refusal }: Receipt, connection: ForgeConnection, reply: FastifyReply): FastifyReply {
  const isRepeated = !delivery.isNew || delivery.duplicateOf !== null;
  countDelivery(connection.name, event, isRepeated ? 'duplicate' : delivery.status);
  if (isRepeated) return reply.status(200).send({ delivery: delivery.duplicateOf ?? delivery.id, duplicate: true });
  if (!refusal) return reply.status(202).send({ delivery: delivery.id });
  logger.warn({ msg: 'a webhook is kept, but cannot be evaluated', delivery: delivery.id, forge: connection.name, event, reason: refusal.message });
  // To send what cannot be read once more would not help; a name that is taken is for the forge's administrator to see.
  return reply.status(refusal.code === 'conflict' ? 409 : 202).send({ delivery: delivery.id, message: refusal.message });
}

function refuse(error: FastifyError | Failure, deps: WebhookDeps, request: Arrival, reply: FastifyReply): FastifyReply {
  if (isFailure(error)) {
    const status = STATUS_OF[error.code] ?? 500;
    if (status >= 500) logger.error({ msg: 'a webhook could not be taken', connection: request.params.connectionId, err: error });
    return reply.status(status).send({ message: error.message });
  }
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const message = `The webhook is larger than ${formatByteSize(deps.bodyLimit)} (the setting WEBHOOK_BODY_LIMIT).`;
    return reply.status(413).send({ message });
  }
  if (error.statusCode !== undefined && error.statusCode < 500) return reply.status(error.statusCode).send({ message: error.message });
  logger.error({ msg: 'a webhook could not be taken', connection: request.params.connectionId, err: error });
  return reply.status(500).send({ message: 'The webhook could not be stored; the log has the cause. Send it again.' });
}
