import type { IncomingMessage } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type FastifyBaseLogger, LogController } from 'fastify';
import type { Logger } from 'pino';

/** Go clients keep idle connections for 90 s and do not repeat a POST: ours must live longer. */
const KEEP_ALIVE_MS = 95_000;
const HEADERS_MS = 100_000;
/** npm names may have 214 characters, digests 135. */
const MAX_PARAMETER = 1_024;

/** Fastify beneath Nest, set up for runners, git and package clients rather than for browsers. */
export function createHttpAdapter(pathPrefix: string, log: Logger): FastifyAdapter {
  return new FastifyAdapter({
    loggerInstance: log.child({ context: 'http' }) as unknown as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { headersTimeout: HEADERS_MS },
    // Node's limit for a whole request would cut a steady upload; whoever reads a body has an idle limit instead.
    requestTimeout: 0,
    routerOptions: { maxParamLength: MAX_PARAMETER },
    rewriteUrl: (request: IncomingMessage) => withoutPrefix(request.url ?? '/', pathPrefix),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
  });
}

/** Every path answers below the prefix and at the root: checkout and the artifact clients keep only our origin. */
export function withoutPrefix(url: string, pathPrefix: string): string {
  const path = url.replace(/^\/{2,}/, '/');
  if (pathPrefix === '' || !path.startsWith(pathPrefix)) return path;
  const rest = path.slice(pathPrefix.length);
  if (rest === '') return '/';
  return rest.startsWith('/') ? rest : rest.startsWith('?') ? `/${rest}` : path;
}
