import { CommandError, UnreachableError } from './command-error';
import type { ServerAddress } from './server-address';
import { readEvents, type ServerEvent } from './server-events';

type Query = Readonly<Record<string, string | number | undefined>>;

interface Request {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** One server's `/api/v1`. Whatever goes wrong is thrown as a `CommandError` with the server's own words where it has some. */
export class ApiClient {
  constructor(private readonly server: ServerAddress) {}

  async get<Answer>(path: string, query: Query = {}): Promise<Answer> {
    return (await this.json(path, { query })) as Answer;
  }

  async post<Answer>(path: string, body?: unknown): Promise<Answer> {
    return (await this.json(path, { method: 'POST', body })) as Answer;
  }

  async delete(path: string): Promise<void> {
    await this.json(path, { method: 'DELETE' });
  }

  /** What is no JSON, piece by piece. */
  async *text(path: string): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    for await (const chunk of this.chunks(path, {})) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  }

  /** The events of a stream, until it ends or `signal` aborts. `after` is the id of the last event that was seen. */
  async *events(path: string, signal: AbortSignal, after?: number): AsyncGenerator<ServerEvent> {
    const headers = after === undefined ? {} : { 'last-event-id': String(after) };
    yield* readEvents(this.chunks(path, { headers, signal }));
  }

  private async json(path: string, request: Request): Promise<unknown> {
    const response = await this.ask(path, request);
    const text = await response.text().catch((error: unknown) => this.unreachable(error));
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch {
      throw new CommandError(`${this.server.url} does not answer as Triphammer does. Is TRIPHAMMER_URL right?`);
    }
  }

  private async *chunks(path: string, request: Request): AsyncGenerator<Uint8Array> {
    const response = await this.ask(path, request);
    try {
      for await (const chunk of response.body ?? []) yield chunk as Uint8Array;
    } catch (error) {
      if (!request.signal?.aborted) this.unreachable(error);
    }
  }

  private async ask(path: string, { method = 'GET', query = {}, body, headers = {}, signal }: Request): Promise<Response> {
    const url = new URL(`${this.server.url}/api/v1${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${this.server.token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      // A token must not follow to wherever a server points.
      redirect: 'manual',
    }).catch((error: unknown) => this.unreachable(error));
    if (!response.ok) throw new CommandError(await this.refusal(response, path));
    return response;
  }

  private unreachable(error: unknown): never {
    const { cause, message } = error as { readonly cause?: { readonly code?: string; readonly message?: string }; readonly message: string };
    const why = cause?.code ?? cause?.message ?? message;
    throw new UnreachableError(`${this.server.url} cannot be reached (${why}). Is Triphammer running there? Set TRIPHAMMER_URL, or give --url.`);
  }

  private async refusal(response: Response, path: string): Promise<string> {
    const text = await response.text().catch(() => '');
    const message = messageIn(text);
    if (message !== undefined) return message;
    if (response.status >= 300 && response.status < 400)
      return `${this.server.url} points to ${response.headers.get('location') ?? 'another address'}. Set TRIPHAMMER_URL to that.`;
    return `${this.server.url}/api/v1${path} answered ${response.status}${text.length < 200 && !text.includes('<') ? `: ${text.trim()}` : ''}`;
  }
}

function messageIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
