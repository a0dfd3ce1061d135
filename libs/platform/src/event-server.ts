import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import type { Consumer, EventTransport, Message } from '@triphammer/events';
import { isObservable, lastValueFrom } from 'rxjs';

/**
 * Nest's side of the bus: collects the `@EventPattern({ event, consumer })` handlers and gives them to the transport.
 * A handler that throws is not acknowledged.
 */
export class EventServer extends Server implements CustomTransportStrategy {
  /** Nest reads this when it registers the handlers, so it has to be a field. */
  override readonly propagatesEventHandlerErrors = true;

  constructor(private readonly events: EventTransport) {
    super();
  }

  listen(done: (error?: unknown) => void): void {
    this.events.listen(this.consumers()).then(() => done(), done);
  }

  async close(): Promise<void> {
    await this.events.close();
  }

  override on(): never {
    throw new Error('The bus has no events of its own to listen to');
  }

  override unwrap<T>(): T {
    return this.events as T;
  }

  private consumers(): readonly Consumer[] {
    return [...this.messageHandlers].map(([pattern, handler]) => {
      const { event, consumer } = JSON.parse(pattern) as { event: string; consumer: string };
      return {
        event,
        consumer,
        handle: async (message: Message) => {
          await settle(await handler(message));
        },
      };
    });
  }
}

/** A handler's result may be an observable, Nest's way of a value that comes later. */
async function settle(result: unknown): Promise<void> {
  if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
}
