import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { STYLE } from './page-style';

const STYLE_DIGEST = createHash('sha256').update(STYLE).digest('base64');

/** Nothing is loaded, run, framed or sent: the page is its own bytes and nothing else. */
const PAGE_HEADERS = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_DIGEST}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
} as const;

/**
 * Serves the page at `/`, and answers whatever no other route takes. That answer is never HTML: git and package clients
 * read a page with status 200 as what they asked for.
 */
export function mountPages(fastify: FastifyInstance, page: string): void {
  fastify.get('/', async (_request, reply) => reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(page));
  void fastify.register(async (scope) => {
    // Before the body, which nobody wants and no parser may be there for.
    scope.addHook('onRequest', async (_request, reply) => notHere(reply));
    scope.all('/*', async (_request, reply) => notHere(reply));
  });
}

function notHere(reply: FastifyReply): FastifyReply {
  return reply.status(404).type('text/plain; charset=utf-8').send('not part of this version\n');
}
