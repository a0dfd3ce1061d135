import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RelayedDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The status of the receiver's answer, which the forge got too. */
  readonly status: number;
}

/** Connection headers belong to one hop. */
const HOP = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding']);

/** Stands between a forge and a webhook's receiver: passes each delivery on byte by byte, and keeps it with its answer. */
export class WebhookRelay {
  private readonly kept: RelayedDelivery[] = [];
  private readonly server: Server;

  private constructor(private readonly target: string) {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        void this.pass(endToEnd(request.headers), Buffer.concat(chunks)).then(({ status }) => response.writeHead(status).end());
      });
    });
  }

  /** Listens while `work` goes on. */
  static async whileOpen(target: string, work: (relay: WebhookRelay) => Promise<void>): Promise<void> {
    const relay = new WebhookRelay(target);
    await new Promise<void>((resolve) => relay.server.listen(0, '127.0.0.1', resolve));
    await work(relay).finally(() => relay.close());
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  get deliveries(): readonly RelayedDelivery[] {
    return this.kept;
  }

  /** Sends the receiver what it got before, byte by byte, and returns the status of its answer. */
  async repeat({ headers, body }: RelayedDelivery): Promise<number> {
    return (await this.pass(headers, body)).status;
  }

  private async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(headers: Readonly<Record<string, string>>, body: Buffer): Promise<RelayedDelivery> {
    const answer = await fetch(this.target, { method: 'POST', headers, body: new Uint8Array(body) });
    await answer.arrayBuffer();
    const delivery = { headers, body, status: answer.status };
    this.kept.push(delivery);
    return delivery;
  }
}

function endToEnd(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && !HOP.has(entry[0])));
}
