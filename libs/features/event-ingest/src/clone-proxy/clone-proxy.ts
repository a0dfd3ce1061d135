import type { ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { Failure } from '@triphammer/foundation';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import { Agent } from 'undici';
import { type RepositoryName, repositoryName } from './clone-path';
import { admit, type CloneProxyDeps, type CloneTarget } from './clone-target';
import { contentTypeOf, type GitAnswer, type GitCall } from './git-call';
import { readHttp } from './http-remote';
import { readPath } from './path-remote';
import { refuse, refuseLfs, refuseMethod } from './refusal';
import { UploadPacks } from './upload-pack';

/** Of silence, in either direction. There is no limit on the whole: a clone may take an hour, and a forge minutes to begin its pack. */
const IDLE_LIMIT_MS = 10 * 60_000;

const log = new Logger('CloneProxy');
const requests = new Counter({
  name: 'triphammer_clone_requests_total',
  help: 'Requests to the clone proxy by how they ended.',
  labelNames: ['outcome'] as const,
});

interface Exchange {
  readonly deps: CloneProxyDeps;
  readonly agent: Agent;
  readonly packs: UploadPacks;
  readonly name: RepositoryName;
  readonly request: FastifyRequest;
  readonly gone: AbortSignal;
}

interface GitRoute {
  readonly method?: 'GET' | 'POST';
  /** Behind `/:owner/:repo`. */
  readonly path: string;
  readonly answer: (exchange: Exchange) => Promise<GitAnswer>;
}

const ROUTES: readonly GitRoute[] = [
  { method: 'GET', path: '/info/refs', answer: advertise },
  { method: 'POST', path: '/git-upload-pack', answer: uploadPack },
  { path: '/git-receive-pack', answer: refusePush },
  { path: '/git-upload-archive', answer: refuseService },
  { path: '/HEAD', answer: refuseDumb },
  { path: '/objects/*', answer: refuseDumb },
  { path: '/info/lfs/*', answer: async () => refuseLfs() },
];

/**
 * Serves `/:owner/:repo[.git]` to git clients that hold a job's token: reads are streamed from the repository's forge or
 * folder, everything else is refused in words that git shows. A job reads its own repository alone.
 * The server must have no total limit on requests (Node's `requestTimeout`): that would cut slow ones off.
 */
export function mountCloneProxy(fastify: FastifyInstance, deps: CloneProxyDeps): void {
  const agent = new Agent({ headersTimeout: IDLE_LIMIT_MS, bodyTimeout: IDLE_LIMIT_MS });
  const packs = new UploadPacks();
  void fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    scope.setErrorHandler((error, _request, reply) => send(reply, refuse(error)));
    // Lets what is under way come to its end; the server's own grace is the limit.
    scope.addHook('onClose', () => agent.close());
    for (const route of ROUTES) {
      scope.all<{ Params: { owner: string; repo: string } }>(`/:owner/:repo${route.path}`, async (request, reply) => {
        request.raw.setTimeout(IDLE_LIMIT_MS);
        const gone = goneSignal(reply.raw);
        const name = repositoryName(request.params.owner, request.params.repo);
        const answer = name ? await answerOf(route, { deps, agent, packs, name, request, gone }) : refuse(notHere());
        return send(reply, answer);
      });
    }
  });
}

async function answerOf(route: GitRoute, exchange: Exchange): Promise<GitAnswer> {
  const { request, gone } = exchange;
  if (route.method && request.method !== route.method) return refuseMethod(route.method);
  try {
    return await route.answer(exchange);
  } catch (error) {
    const refusal = refuse(error);
    if (refusal.status >= 500 && !gone.aborted) logFailure(exchange, error);
    return refusal;
  }
}

function send(reply: FastifyReply, answer: GitAnswer): FastifyReply {
  const { raw } = reply;
  raw.once('close', () => requests.inc({ outcome: raw.writableFinished ? answer.outcome : 'aborted' }));
  return reply.status(answer.status).headers(answer.headers).header('cache-control', 'no-cache, no-transform').send(answer.body);
}

async function advertise(exchange: Exchange): Promise<GitAnswer> {
  const { service } = exchange.request.query as { service?: unknown };
  if (service === 'git-receive-pack') return refusePush();
  if (service === undefined) return refuseDumb();
  if (service !== 'git-upload-pack') return refuseService();
  return read(exchange, 'advertisement');
}

async function uploadPack(exchange: Exchange): Promise<GitAnswer> {
  if (exchange.request.headers['content-type'] !== contentTypeOf('request')) {
    throw new Failure('invalid-input', `The body of a fetch is ${contentTypeOf('request')}.`);
  }
  return read(exchange, 'result');
}

async function read(exchange: Exchange, kind: GitCall['kind']): Promise<GitAnswer> {
  const { deps, name, request, gone } = exchange;
  const call: GitCall = { kind, headers: request.headers, raw: request.raw, gone };
  const target = await admit(deps, request.headers.authorization, name);
  const answer = await readRemote(exchange, target, call);
  if (answer !== 'redirected') return answer;
  const renamed = await deps.refreshRepository(target.repositoryId);
  if (!renamed) throw new Failure('not-found', 'The forge no longer has this repository.');
  // A body that was sent to the old address is spent.
  if (kind === 'result') throw new Failure('upstream-failed', 'The repository was renamed at its forge in the midst of this fetch. Fetch again.');
  const second = await readRemote(exchange, renamed, call);
  if (second !== 'redirected') return second;
  throw new Failure('upstream-failed', "The forge sends us on from the repository's address, and from its newest one too. Check the connection's URL.");
}

function readRemote({ agent, packs }: Exchange, { remote }: CloneTarget, call: GitCall): Promise<GitAnswer | 'redirected'> {
  return remote.kind === 'path' ? readPath(packs, remote.path, call) : readHttp(agent, remote, call);
}

async function refusePush(): Promise<never> {
  throw new Failure('forbidden', 'Repositories are read-only here; push comes in a later version. Push to the forge itself.');
}

async function refuseService(): Promise<never> {
  throw new Failure('not-found', 'Only git-upload-pack, that is clone and fetch, is served here.');
}

async function refuseDumb(): Promise<never> {
  throw new Failure('not-found', 'The dumb http protocol is not served here; use git 1.6.6 or newer.');
}

function notHere(): Failure {
  return new Failure('not-found', 'There can be no repository under this name.');
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

/** Of errors the stack alone: their other fields may hold a query's parameters or a header. */
function logFailure({ name, request }: Exchange, error: unknown): void {
  const cause = (error as Error).cause ?? error;
  log.warn({
    message: `clone proxy: ${(error as Error).message}`,
    repository: `${name.owner}/${name.name}`,
    request: request.id,
    cause: cause instanceof Error ? cause.stack : String(cause),
  });
}
