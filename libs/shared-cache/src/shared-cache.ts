/**
 * What the processes of one installation tell each other in passing. Nothing in it is durable: whoever misses a message reads
 * Postgres. It never throws because the cache is away; the error hook hears of that instead.
 */
export interface SharedCache {
  /** Hands a small message to whoever listens on the channel now. False: the cache is away, nobody was told. */
  publish(channel: string, message: string | Uint8Array): Promise<boolean>;

  /**
   * Messages that are published after this resolves arrive in the order of their publisher. While the cache is away it
   * resolves at once, and `onGap` says when listening has begun. So subscribe first, then read what is there already.
   */
  subscribe(channel: string, subscriber: Subscriber): Promise<Unsubscribe>;

  /** For readiness: throws Failure `unavailable` while messages cannot be passed on. */
  check(): Promise<void>;

  /** Drops all subscriptions; later publishes reach nobody. */
  close(): Promise<void>;
}

export interface Subscriber {
  onMessage(message: Buffer): void;

  /** Messages may have been lost until now, none is from here on: read again what they would have told. */
  onGap(): void;
}

/** No message is delivered after it returns. A second call changes nothing. */
export type Unsubscribe = () => void;

/** Hears what nobody can act on but the operator: a lost connection, a subscriber that threw. For the log. */
export type ErrorHook = (error: unknown) => void;

/** Nest's token for the process's cache. */
export const SHARED_CACHE = Symbol('SharedCache');
