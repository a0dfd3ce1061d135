import { Failure } from '@triphammer/foundation';
import { Redis, type RedisOptions, ReplyError } from 'ioredis';
import type { ErrorHook, SharedCache, Subscriber, Unsubscribe } from './shared-cache';
import { type Subscription, Subscriptions } from './subscriptions';

const LONGEST_RETRY_MS = 2_000;

/** How soon a connection that is open but dead is given up. Redis sends nothing of itself, so it is asked. */
export interface Heartbeat {
  readonly everyMs: number;
  readonly answerWithinMs: number;
}

/**
 * Redis publish/subscribe on two connections, because one that listens may not publish. Redis keeps channels apart from its
 * databases, so the database's number is part of ours: installations that share a server need different ones in their URL.
 */
export class RedisSharedCache implements SharedCache {
  private readonly subscriptions: Subscriptions;
  private readonly prefix: string;
  private readonly heartbeat: NodeJS.Timeout;

  private constructor(
    private readonly talking: Redis,
    private readonly listening: Redis,
    private readonly onError: ErrorHook,
    everyMs: number,
  ) {
    this.subscriptions = new Subscriptions(onError);
    this.prefix = `triphammer:${talking.options.db ?? 0}:`;
    for (const connection of [talking, listening]) connection.on('error', onError);
    listening.on('ready', () => void this.resume());
    listening.on('messageBuffer', (channel: Buffer, message: Buffer) => this.subscriptions.deliver(channel.toString(), message));
    this.heartbeat = setInterval(() => this.askForLife(), everyMs).unref();
  }

  /** Resolves after the first attempt to connect, whether it succeeded or not: Redis may come later, and is tried for ever. */
  static async connect(url: string, onError: ErrorHook, heartbeat: Heartbeat = { everyMs: 10_000, answerWithinMs: 2_000 }): Promise<RedisSharedCache> {
    const options = connectionOptions(heartbeat.answerWithinMs);
    const [talking, listening] = [new Redis(url, options), new Redis(url, options)];
    const cache = new RedisSharedCache(talking, listening, onError, heartbeat.everyMs);
    await Promise.all([firstAttempt(talking), firstAttempt(listening)]);
    return cache;
  }

  async publish(channel: string, message: string | Uint8Array): Promise<boolean> {
    const sent = await this.attempt(this.talking, () => this.talking.publish(this.prefix + channel, Buffer.from(message)));
    return sent !== undefined;
  }

  async subscribe(channel: string, subscriber: Subscriber): Promise<Unsubscribe> {
    const subscription = this.subscriptions.add(this.prefix + channel, subscriber);
    await this.attempt(this.listening, () => this.listening.subscribe(subscription.channel));
    return () => this.unsubscribe(subscription);
  }

  async check(): Promise<void> {
    try {
      await Promise.all([this.talking.ping(), this.listening.ping()]);
    } catch (cause) {
      throw new Failure('unavailable', 'Redis, the shared cache, does not answer', { cause });
    }
  }

  async close(): Promise<void> {
    clearInterval(this.heartbeat);
    this.subscriptions.clear();
    for (const connection of [this.talking, this.listening]) connection.disconnect();
  }

  private unsubscribe(subscription: Subscription): void {
    if (!this.subscriptions.remove(subscription)) return;
    void this.attempt(this.listening, () => this.listening.unsubscribe(subscription.channel));
  }

  /** On every new connection: listens again where somebody waits, and only then says that there was a gap. */
  private async resume(): Promise<void> {
    const channels = this.subscriptions.channels();
    if (channels.length === 0) return;
    const count = await this.attempt(this.listening, () => this.listening.subscribe(...channels));
    if (count !== undefined) this.subscriptions.announceGap();
  }

  private askForLife(): void {
    for (const connection of [this.talking, this.listening]) void this.attempt(connection, () => connection.ping());
  }

  /**
   * Undefined while Redis is away, which the connection itself reports. A command that Redis refused leaves the connection as it is;
   * one that was not answered in time leaves open whether it took effect, so a new connection starts from the beginning.
   */
  private async attempt<T>(connection: Redis, command: () => Promise<T>): Promise<T | undefined> {
    if (connection.status !== 'ready') return undefined;
    try {
      return await command();
    } catch (error) {
      this.onError(error);
      if (!(error instanceof ReplyError) && connection.status === 'ready') connection.disconnect(true);
      return undefined;
    }
  }
}

/** A command waits neither for a connection nor for the next one: it fails, and its caller goes on without Redis. */
function connectionOptions(answerWithinMs: number): RedisOptions {
  return {
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    commandTimeout: answerWithinMs,
    connectTimeout: 5_000,
    disconnectTimeout: 500,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, LONGEST_RETRY_MS),
  };
}

function firstAttempt(connection: Redis): Promise<void> {
  return new Promise((resolve) => {
    connection.once('ready', resolve);
    connection.once('close', resolve);
  });
}
