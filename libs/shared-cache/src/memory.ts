import { Failure } from '@triphammer/foundation';
import type { ErrorHook, SharedCache, Subscriber, Unsubscribe } from './shared-cache';
import { Subscriptions } from './subscriptions';

/** For an installation that is one process. It never has a gap. */
export class MemorySharedCache implements SharedCache {
  private readonly subscriptions: Subscriptions;
  private closed = false;

  constructor(onError: ErrorHook) {
    this.subscriptions = new Subscriptions(onError);
  }

  publish(channel: string, message: string | Uint8Array): Promise<boolean> {
    if (this.closed) return Promise.resolve(false);
    const copy = Buffer.from(message);
    queueMicrotask(() => this.subscriptions.deliver(channel, copy));
    return Promise.resolve(true);
  }

  subscribe(channel: string, subscriber: Subscriber): Promise<Unsubscribe> {
    const subscription = this.subscriptions.add(channel, subscriber);
    return Promise.resolve(() => void this.subscriptions.remove(subscription));
  }

  async check(): Promise<void> {
    if (this.closed) throw new Failure('unavailable', 'the shared cache is closed');
  }

  async close(): Promise<void> {
    this.closed = true;
    this.subscriptions.clear();
  }
}
