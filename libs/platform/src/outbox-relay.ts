import { backOffMs, type EventTransport, OUTBOX_SHARDS, type OutboxMessage } from '@triphammer/events';
import { ADVISORY_LOCKS, poolOf } from '@triphammer/models';
import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import type { DataSource } from 'typeorm';

/** The net beneath the notification, and how often a process looks for shards that nobody holds. */
const IDLE_MS = 1_000;
const BATCH = 256;
const MAX_UNDER_WAY = 512;

const unsent = new Gauge({ name: 'triphammer_outbox_under_way', help: 'Events that this process has read from the outbox and not yet handed over' });

/**
 * Moves events from the outbox to the transport. Each shard belongs to the one process that holds its advisory lock;
 * when that process dies its connection dies, and another takes the shard within a second. Rows are found by their
 * existence, never by a last id, because a slow transaction's row appears behind faster ones.
 */
export class OutboxRelay {
  private readonly underWay = new Map<number, Promise<void>>();
  private readonly shards = new Set<number>();
  private holder: PoolClient | undefined;
  private wake: () => void = () => undefined;
  private isWoken = false;
  private isStopped = false;
  private loop: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly transport: EventTransport,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.loop = this.run();
  }

  /** There may be new rows. */
  poke(): void {
    this.isWoken = true;
    this.wake();
  }

  /** Hands nothing more over, waits for what is under way, and gives the shards back. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.poke();
    await this.loop;
    await Promise.allSettled(this.underWay.values());
    this.dropHolder();
  }

  private async run(): Promise<void> {
    let claimedAt = 0;
    while (!this.isStopped) {
      this.isWoken = false;
      try {
        if (Date.now() - claimedAt >= IDLE_MS) {
          await this.claimShards();
          claimedAt = Date.now();
        }
        if (await this.relayBatch()) continue;
      } catch (error) {
        this.log.warn({ err: error }, 'the outbox could not be read');
        this.dropHolder();
      }
      await this.sleep();
    }
  }

  private sleep(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, IDLE_MS);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.isWoken) this.wake();
    });
  }

  private async claimShards(): Promise<void> {
    if (this.shards.size === OUTBOX_SHARDS) return;
    const holder = this.holder ?? (await this.openHolder());
    const missing = Array.from({ length: OUTBOX_SHARDS }, (_, shard) => shard).filter((shard) => !this.shards.has(shard));
    const claimed = await holder.query<{ shard: number; got: boolean }>(
      'select shard, pg_try_advisory_lock($1, shard) as got from unnest($2::int[]) as shard',
      [ADVISORY_LOCKS.outboxShard, missing],
    );
    for (const row of claimed.rows) if (row.got) this.shards.add(row.shard);
  }

  private async openHolder(): Promise<PoolClient> {
    const holder = await poolOf(this.dataSource).connect();
    const lost = () => {
      if (this.holder === holder) this.dropHolder();
    };
    holder.once('error', lost);
    holder.once('end', lost);
    this.holder = holder;
    return holder;
  }

  private dropHolder(): void {
    this.shards.clear();
    this.holder?.removeAllListeners();
    // A lost connection still reports its end; by now that is no news.
    this.holder?.on('error', () => undefined);
    this.holder?.release(true);
    this.holder = undefined;
  }

  /** True when there may be more to do at once. */
  private async relayBatch(): Promise<boolean> {
    const room = Math.min(BATCH, MAX_UNDER_WAY - this.underWay.size);
    if (this.shards.size === 0 || room <= 0) return false;
    const due = await poolOf(this.dataSource).query<OutboxMessage & { id: number }>({
      name: 'outbox-due',
      text: `select id, event, payload, attempts from outbox
              where shard = any($1) and next_attempt_at <= now() and id <> all($2)
              order by id limit $3`,
      values: [[...this.shards], [...this.underWay.keys()], room],
    });
    for (const message of due.rows) this.hand(message);
    return due.rows.length === room && this.underWay.size < MAX_UNDER_WAY;
  }

  private hand(message: OutboxMessage): void {
    const work = this.handOver(message).finally(() => {
      this.underWay.delete(message.id);
      unsent.set(this.underWay.size);
      if (this.underWay.size === MAX_UNDER_WAY - BATCH) this.poke();
    });
    this.underWay.set(message.id, work);
    unsent.set(this.underWay.size);
  }

  private async handOver(message: OutboxMessage): Promise<void> {
    try {
      await this.transport.deliver(message);
      await this.removeRow(message.id);
    } catch (error) {
      this.log.debug({ err: error, event: message.event, messageId: message.id, attempts: message.attempts + 1 }, 'an event could not be handed over');
      await this.postpone(message).catch((cause) => this.log.warn({ err: cause, messageId: message.id }, 'an event could not be postponed'));
    }
  }

  private async removeRow(id: number): Promise<void> {
    await poolOf(this.dataSource).query({ name: 'outbox-remove', text: 'delete from outbox where id = $1', values: [id] });
  }

  private async postpone(message: OutboxMessage): Promise<void> {
    await poolOf(this.dataSource).query({
      name: 'outbox-postpone',
      text: `update outbox set attempts = attempts + 1, next_attempt_at = now() + $2 * interval '1 millisecond' where id = $1`,
      values: [message.id, backOffMs(message.attempts)],
    });
  }
}
