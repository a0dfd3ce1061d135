import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly hangUp?: true;
}

interface SeenCall {
  readonly call: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

export interface StandIn {
  readonly url: string;
  readonly seen: SeenCall[];
  /** What `METHOD /path` is answered with; several answers are given one after the other, the last one from then on. */
  on(call: string, ...answers: Answer[]): void;
  stop(): Promise<void>;
}

/** Answers as a forge does, to the letter of its recorded answers; what was not arranged is 404. */
export async function standIn(): Promise<StandIn> {
  const arranged = new Map<string, Answer[]>();
  const seen: SeenCall[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = `${request.method} ${request.url}`;
      const text = Buffer.concat(chunks).toString();
      seen.push({ call, authorization: request.headers.authorization, body: text === '' ? undefined : JSON.parse(text) });
      const answers = arranged.get(call) ?? [];
      const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? { status: 404, json: { message: 'GetRepositoryByName', url: '/api/swagger' } };
      if (answer.hangUp) return request.socket.destroy();
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      return response.end(answer.text ?? JSON.stringify(answer.json ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    on: (call, ...answers) => void arranged.set(call, answers),
    stop: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}
