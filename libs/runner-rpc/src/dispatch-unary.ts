import type { IncomingHttpHeaders } from 'node:http';
import type { DescMessage, DescService, Message, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { encodeReply, requestDecoder } from './codec';
import { deflate, inflate, isGzipWorthwhile } from './compression';
import { encodeConnectError, toConnectError } from './connect-error';
import { CONTENT_TYPES, type Codec, parseContentType } from './content-type';
import { limitsOf, type MethodLimits } from './method-limits';
import { parseTimeout } from './parse-timeout';
import type { PreEncoded } from './pre-encoded';

/** What a method knows of its call besides the message. */
export interface CallContext {
  readonly headers: IncomingHttpHeaders;
  /** The client's budget in milliseconds when it sent the request; undefined when it set none. */
  readonly timeoutMs: number | undefined;
  /** Aborted when the client is gone before the reply was written. Costs nothing unless it is asked for. */
  readonly signal: AbortSignal;
  /** For the reply, a refusal too. */
  setHeader(name: string, value: string): void;
}

export type UnaryMethod<Input extends DescMessage, Output extends DescMessage> = (
  request: MessageShape<Input>,
  context: CallContext,
) => Promise<MessageInitShape<Output> | PreEncoded<Output>>;

/** Some or all methods of a service: each process serves those it is made for. */
export type Methods<Service extends DescService> = {
  readonly [Name in keyof Service['method']]?: UnaryMethod<Service['method'][Name]['input'], Service['method'][Name]['output']>;
};

/** A method made ready for calls. */
export interface BoundMethod {
  /** `runner.v1.RunnerService/FetchTask`: its path behind the prefix. */
  readonly procedure: string;
  readonly limits: MethodLimits;
  readonly output: DescMessage;
  readonly decode: (codec: Codec, bytes: Uint8Array) => Message;
  readonly run: UnaryMethod<DescMessage, DescMessage>;
}

export interface UnaryCall {
  readonly headers: IncomingHttpHeaders;
  /** As sent, compressed or not; undefined for none. */
  readonly body: Uint8Array | undefined;
  /** Where the reply goes; a `ServerResponse` is one. */
  readonly connection: Connection;
}

export interface Connection {
  readonly destroyed: boolean;
  readonly writableFinished: boolean;
  once(event: 'close', listener: () => void): unknown;
}

export interface UnaryReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The cause of every refusal, for the log: it may say more than the client may know. */
export type OnError = (error: unknown, procedure: string) => void;

const OK_HEADERS = {
  proto: { 'content-type': CONTENT_TYPES.proto },
  json: { 'content-type': CONTENT_TYPES.json },
} as const satisfies Record<Codec, UnaryReply['headers']>;

const NO_BYTES = new Uint8Array(0);

/** The given methods of the service, in its order. */
export function bindMethods<Service extends DescService>(service: Service, methods: Methods<Service>): readonly BoundMethod[] {
  return service.methods.flatMap((method) => {
    const run = methods[method.localName as keyof Service['method']] as BoundMethod['run'] | undefined;
    if (!run) return [];
    const procedure = `${service.typeName}/${method.name}`;
    const limits = limitsOf(procedure);
    return [{ procedure, limits, output: method.output, decode: requestDecoder(method.input, limits.records), run }];
  });
}

/** Answers one call of a unary Connect method, in the codec of its request. Never rejects: a refusal is a reply as well. */
export async function dispatchUnary(method: BoundMethod, call: UnaryCall, onError: OnError): Promise<UnaryReply> {
  const codec = parseContentType(call.headers['content-type']);
  if (codec === undefined) return refuseContentType();
  const context = new Context(call.headers, call.connection);
  try {
    context.timeoutMs = parseTimeout(call.headers['connect-timeout-ms']);
    const encoding = call.headers['content-encoding'];
    const body = call.body ?? NO_BYTES;
    const bytes = encoding === undefined ? body : await inflate(body, encoding, method.limits.bodyBytes);
    const reply = await method.run(method.decode(codec, bytes), context);
    return await answer(codec, encodeReply(method.output, codec, reply), context);
  } catch (error) {
    onError(error, method.procedure);
    return refuse(error, context.replyHeaders);
  }
}

export function refuse(error: unknown, headers: UnaryReply['headers'] = {}): UnaryReply {
  const connectError = toConnectError(error);
  return { status: connectError.status, headers: { ...headers, ...OK_HEADERS.json }, body: encodeConnectError(connectError) };
}

/** For a body that is no unary Connect message: HTTP itself says no. */
export function refuseContentType(): UnaryReply {
  const types = Object.values(CONTENT_TYPES).join(', ');
  return refuseHttp(415, { 'accept-post': types }, `the content type must be one of ${types}`);
}

/** For what the Connect protocol has no code of. */
export function refuseHttp(status: number, headers: UnaryReply['headers'], message: string): UnaryReply {
  return { status, headers: { ...headers, ...OK_HEADERS.json }, body: encodeConnectError({ status, code: 'unknown', message }) };
}

async function answer(codec: Codec, body: Buffer, context: Context): Promise<UnaryReply> {
  const headers = context.replyHeaders ? { ...context.replyHeaders, ...OK_HEADERS[codec] } : OK_HEADERS[codec];
  if (!isGzipWorthwhile(body.byteLength, context.headers['accept-encoding'])) return { status: 200, headers, body };
  return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: await deflate(body) };
}

class Context implements CallContext {
  timeoutMs: number | undefined = undefined;
  replyHeaders: Record<string, string> | undefined = undefined;
  private controller: AbortController | undefined;

  constructor(
    readonly headers: IncomingHttpHeaders,
    private readonly connection: Connection,
  ) {}

  get signal(): AbortSignal {
    this.controller ??= abortOnClose(this.connection);
    return this.controller.signal;
  }

  setHeader(name: string, value: string): void {
    this.replyHeaders ??= {};
    this.replyHeaders[name.toLowerCase()] = value;
  }
}

function abortOnClose(connection: Connection): AbortController {
  const controller = new AbortController();
  if (connection.destroyed) controller.abort();
  connection.once('close', () => {
    if (!connection.writableFinished) controller.abort();
  });
  return controller;
}
