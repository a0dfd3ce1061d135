import type { ErrorHook, Subscriber } from './shared-cache';

/** Who listens on which channel of this process. A subscriber that throws is reported and keeps nobody else from hearing. */
export class Subscriptions {
  private readonly byChannel = new Map<string, Set<Subscription>>();

  constructor(private readonly onError: ErrorHook) {}

  add(channel: string, subscriber: Subscriber): Subscription {
    const subscription = { channel, subscriber };
    const others = this.byChannel.get(channel);
    if (others) others.add(subscription);
    else this.byChannel.set(channel, new Set([subscription]));
    return subscription;
  }

  /** True when nobody listens on the channel any more, and this was the last who did. */
  remove(subscription: Subscription): boolean {
    const all = this.byChannel.get(subscription.channel);
    if (!all?.delete(subscription) || all.size > 0) return false;
    return this.byChannel.delete(subscription.channel);
  }

  clear(): void {
    this.byChannel.clear();
  }

  channels(): string[] {
    return [...this.byChannel.keys()];
  }

  deliver(channel: string, message: Buffer): void {
    for (const { subscriber } of this.byChannel.get(channel) ?? []) this.tell(() => subscriber.onMessage(message));
  }

  announceGap(): void {
    for (const all of this.byChannel.values()) {
      for (const { subscriber } of all) this.tell(() => subscriber.onGap());
    }
  }

  private tell(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.onError(error);
    }
  }
}

export interface Subscription {
  readonly channel: string;
  readonly subscriber: Subscriber;
}
