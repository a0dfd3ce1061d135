import type { IncomingHttpHeaders } from 'node:http';
import type { DescService } from '@bufbuild/protobuf';
import { Failure, formatByteSize } from '@triphammer/foundation';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type BoundMethod,
  bindMethods,
  dispatchUnary,
  type Methods,
  type OnError,
  refuse,
  refuseContentType,
  refuseHttp,
  type UnaryReply,
} from './dispatch-unary';

export interface ConnectMount<Service extends DescService> {
  /** What stands before the service's name, without a slash at its end: `/api/actions`. */
  readonly prefix: string;
  readonly service: Service;
  readonly methods: Methods<Service>;
  /** Called before the body is read: by throwing it spares the process the megabytes of a stranger. */
  readonly admit?: (headers: IncomingHttpHeaders) => Promise<void>;
  readonly onError: OnError;
}

/**
 * Serves methods of a service as POST routes of their own, in a context of its own: the parsers, error handler and hooks of
 * the others do not touch them. May be called for several services, and several times for different methods of one.
 */
export function mountConnect<Service extends DescService>(fastify: FastifyInstance, mount: ConnectMount<Service>): void {
  const methods = bindMethods(mount.service, mount.methods);
  fastify.register(async (routes) => {
    // Nothing here logs through the request, and a child logger for each would be a tenth of what an idle poll costs.
    routes.setChildLoggerFactory((logger) => logger);
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    const { admit } = mount;
    if (admit) routes.addHook('onRequest', (request) => admit(request.headers));
    for (const method of methods) mountMethod(routes, mount.prefix, method, mount.onError);
  });
}

/**
 * Answers what no mounted method under the prefix takes: `unimplemented` for another procedure, 405 for another verb. Once
 * mounted it stays: any number of features may ask for it.
 */
export function mountUnimplemented(fastify: FastifyInstance, prefix: string): void {
  const url = `${prefix}/*`;
  if (fastify.hasRoute({ method: 'POST', url })) return;
  // Before the body is read, and so whatever its type and size are.
  fastify.all(url, { onRequest: refuseUnmounted }, refuseUnmounted);
}

function mountMethod(routes: FastifyInstance, prefix: string, method: BoundMethod, onError: OnError): void {
  routes.route<{ Body: Buffer | undefined }>({
    method: 'POST',
    url: `${prefix}/${method.procedure}`,
    bodyLimit: method.limits.bodyBytes,
    handler: async (request, reply) => {
      const call = { headers: request.headers, body: request.body, connection: reply.raw };
      return send(reply, await dispatchUnary(method, call, onError));
    },
    errorHandler: (error, _request, reply) => {
      if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return send(reply, refuseContentType());
      const failure = toFailure(error, method);
      onError(failure, method.procedure);
      return send(reply, refuse(failure));
    },
  });
}

/** Fastify's words for a body that it did not read to the end. Its 413 would tell a runner nothing, see MethodLimits. */
function toFailure(cause: FastifyError, method: BoundMethod): Error {
  switch (cause.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Failure('too-large', `the message is larger than ${formatByteSize(method.limits.bodyBytes)}`, { cause });
    case 'ECONNRESET':
      return new Failure('cancelled', 'the client hung up before its message was complete', { cause });
    default:
      return cause;
  }
}

async function refuseUnmounted(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  if (request.method !== 'POST') return send(reply, refuseHttp(405, { allow: 'POST' }, 'every call is a POST'));
  const procedure = request.url.split('?', 1)[0];
  return send(reply, refuse(new Failure('unsupported', `${procedure} is not served here`)));
}

function send(reply: FastifyReply, answer: UnaryReply): FastifyReply {
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
}
