import { Failure, HTTP_STATUS, isFailure } from '@triphammer/foundation';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ApiRoute } from './api-route';
import { ApiStream } from './api-stream';
import { linkHeader, Page } from './page';

export const API_PREFIX = '/api/v1';
const BODY_LIMIT = 1024 * 1024;

/** Decides by the `Authorization` header; throws `unauthenticated` or `forbidden`. */
export type Authorize = (authorization: string | undefined) => void;

interface MountOptions<Deps> {
  readonly routes: readonly ApiRoute<Deps>[];
  readonly deps: Deps;
  readonly authorize: Authorize;
  /** Our own address, for the links between pages. */
  readonly publicUrl: string;
}

/** Serves a feature's routes below `/api/v1`. Each demands the token before anything of the request is looked at. */
export function mountApi<Deps>(fastify: FastifyInstance, options: MountOptions<Deps>): void {
  void fastify.register(async (scope) => {
    // Nest's own parser would turn a broken body into an answer of its own shape.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (_request, body, done) => done(null, body));
    scope.addHook('onRequest', async (request) => options.authorize(request.headers.authorization));
    scope.setErrorHandler((error, request, reply) => refuse(error, request, reply));
    for (const route of options.routes) {
      scope.route({
        method: route.method,
        url: API_PREFIX + route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
        handler: (request, reply) => answer(route, options, request, reply),
      });
    }
  });
}

async function answer<Deps>(route: ApiRoute<Deps>, options: MountOptions<Deps>, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  const result = await route.handler(options.deps, {
    parameters: request.params as Readonly<Record<string, string>>,
    query: route.query ? check(route.query, request.query, 'query') : undefined,
    body: route.body ? check(route.body, parseJson(request.body), 'body') : undefined,
    signal: gone.signal,
    headers: request.headers,
  });
  reply.status(route.status ?? 200);
  if (result instanceof ApiStream) return reply.headers(result.headers).type(result.contentType).send(result.body);
  if (result instanceof Page) {
    const links = linkHeader(new URL(options.publicUrl + request.url), result);
    reply.header('x-total-count', String(result.total));
    if (links) reply.header('link', links);
    return reply.send(result.body);
  }
  return reply.send(result);
}

function parseJson(body: unknown): unknown {
  try {
    return JSON.parse(typeof body === 'string' ? body : '');
  } catch (error) {
    throw new Failure('invalid-input', 'The body is not JSON', { cause: error });
  }
}

function check(schema: z.ZodType, value: unknown, where: string): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => `${issue.path.join('.') || where}: ${issue.message}`);
  throw new Failure('invalid-input', problems.join('; '));
}

function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (isFailure(error)) {
    if (HTTP_STATUS[error.code] >= 500) request.log.error({ err: error }, error.message);
    if (error.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer realm="triphammer"');
    return reply.status(HTTP_STATUS[error.code]).send({ message: error.message });
  }
  const status = (error as { statusCode?: unknown }).statusCode;
  if (typeof status === 'number' && status < 500) return reply.status(status).send({ message: (error as Error).message });
  request.log.error({ err: error }, 'an API request failed');
  return reply.status(500).send({ message: 'The request failed on our side; the log has the cause.' });
}
