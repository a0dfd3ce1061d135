import { HINT_CHANNEL, HINT_TABLE, type HintName, type HintPayload, type Hints, OUTBOX_CHANNEL } from '@triphammer/events';
import { poolOf } from '@triphammer/models';
import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';

const RECONNECT_MS = 500;

/** The one connection of a process that listens for Postgres' notifications; it comes back by itself. */
export class HintListener implements Hints {
  private readonly hearers = new Map<HintName, ((payload: never) => void)[]>();
  private readonly gapHearers: (() => void)[] = [];
  private readonly outboxHearers: (() => void)[] = [];
  private client: PoolClient | undefined;
  private isClosed = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly log: Logger,
  ) {}

  on<Name extends HintName>(name: Name, hear: (payload: HintPayload<Name>) => void): void {
    this.hearers.set(name, [...(this.hearers.get(name) ?? []), hear]);
  }

  onGap(reload: () => void): void {
    this.gapHearers.push(reload);
  }

  onOutbox(wake: () => void): void {
    this.outboxHearers.push(wake);
  }

  /** Listens from now on; throws when the first connection fails. */
  async open(): Promise<void> {
    const client = await poolOf(this.dataSource).connect();
    client.on('notification', ({ channel, payload }) => this.hear(channel, payload ?? ''));
    const lost = (error?: Error) => this.reopen(client, error);
    client.once('error', lost);
    client.once('end', lost);
    await client.query(`listen ${HINT_CHANNEL}`);
    await client.query(`listen ${OUTBOX_CHANNEL}`);
    this.client = client;
  }

  close(): void {
    this.isClosed = true;
    this.client?.removeAllListeners();
    this.client?.release(true);
    this.client = undefined;
  }

  private hear(channel: string, text: string): void {
    if (channel === OUTBOX_CHANNEL) return this.outboxHearers.forEach((wake) => wake());
    const { name, payload } = JSON.parse(text) as { name: HintName; payload: unknown };
    if (!(name in HINT_TABLE)) return;
    const read = HINT_TABLE[name].parse(payload) as never;
    for (const hear of this.hearers.get(name) ?? []) hear(read);
  }

  private reopen(lost: PoolClient, error: Error | undefined): void {
    if (this.isClosed || this.client !== lost) return;
    this.client = undefined;
    lost.release(true);
    this.log.warn({ err: error }, 'the listening database connection was lost');
    this.retryOpen();
  }

  private retryOpen(): void {
    setTimeout(() => {
      if (this.isClosed) return;
      this.open().then(
        () => this.gapHearers.forEach((reload) => reload()),
        () => this.retryOpen(),
      );
    }, RECONNECT_MS).unref();
  }
}
