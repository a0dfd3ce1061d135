import type { z } from 'zod';
import type { Page } from './page';
import type { ApiStream } from './api-stream';

type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [Key in Name]: string } & PathParameters<Rest>
  : unknown;

/** What a handler is given: path parameters (decoded), the query and the body as their schemas read them. */
export interface ApiRequest<Parameters = Readonly<Record<string, string>>, Query = unknown, Body = unknown> {
  readonly parameters: Parameters;
  readonly query: Query;
  readonly body: Body;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** Of any other header a handler may need, in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** One route of `/api/v1`, as data: served by `mountApi`, described by `openApiDocument`, routed to by the gateway. */
export interface ApiRoute<Deps> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`, parameters in braces: `/repos/{owner}/{repo}/actions/runs`. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** The answer's JSON; `contentType` instead for what is not JSON. */
  readonly response?: z.ZodType;
  readonly contentType?: string;
  /** 200 unless said otherwise. */
  readonly status?: number;
  readonly handler: (deps: Deps, request: ApiRequest) => Promise<unknown>;
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type Answer<Response> = Response extends z.ZodType ? z.input<Response> | Page<z.input<Response>> | ApiStream : ApiStream | undefined;

/**
 * Declares a route. The handler's parameters follow from the path, its query, body and answer from the schemas.
 * It throws a `Failure` for what the client should hear.
 */
export function apiRoute<
  Deps,
  const Path extends string,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Response extends z.ZodType | undefined = undefined,
>(
  route: {
    readonly method: ApiRoute<Deps>['method'];
    readonly path: Path;
    readonly summary: string;
    readonly query?: Query;
    readonly body?: Body;
    readonly response?: Response;
    readonly contentType?: string;
    readonly status?: number;
  },
  handler: (deps: Deps, request: ApiRequest<PathParameters<Path>, Output<Query>, Output<Body>>) => Promise<Answer<Response>>,
): ApiRoute<Deps> {
  return { ...route, handler } as unknown as ApiRoute<Deps>;
}
