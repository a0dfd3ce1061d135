import {
  AckPolicy,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JsMsg,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { connect, type NatsConnection, nanos } from '@nats-io/transport-node';
import type { DataSource } from 'typeorm';
import { writeDeadLetter } from './dead-letter';
import { readMessage } from './message';
import { backOffMs, type Consumer, type EventTransport, MAX_TRIES, type OutboxMessage, type TransportLog } from './transport';

const STREAM = 'TRIPHAMMER';
const SUBJECT_PREFIX = 'triphammer.';
const STREAM_MAX_AGE_MS = 7 * 86_400_000;
const ACK_WAIT_MS = 30_000;
/** Messages that one consumer of one process works on at a time. */
const CONCURRENCY = 16;

/** Events over NATS JetStream: published under the outbox row's id, one durable pull consumer for each consumer name. */
export class JetStreamTransport implements EventTransport {
  private readonly streams: ConsumerMessages[] = [];
  private readonly loops: Promise<void>[] = [];
  private readonly client: JetStreamClient;

  private constructor(
    private readonly connection: NatsConnection,
    private readonly dataSource: DataSource,
    private readonly log: TransportLog,
  ) {
    this.client = jetstream(connection);
  }

  /** Connects and makes the stream when it is missing. The connection comes back by itself, for as long as it takes. */
  static async connect(url: string, name: string, dataSource: DataSource, log: TransportLog): Promise<JetStreamTransport> {
    const connection = await connect({ servers: url, name, maxReconnectAttempts: -1, reconnectTimeWait: 250, waitOnFirstConnect: false });
    const transport = new JetStreamTransport(connection, dataSource, log);
    await transport.makeStream();
    return transport;
  }

  async listen(consumers: readonly Consumer[]): Promise<void> {
    for (const consumer of consumers) await this.startConsumer(consumer);
  }

  async deliver(message: OutboxMessage): Promise<void> {
    const body = JSON.stringify({ id: message.id, payload: message.payload });
    await this.client.publish(`${SUBJECT_PREFIX}${message.event}`, body, { msgID: String(message.id) });
  }

  async check(): Promise<void> {
    await this.connection.rtt();
  }

  async close(): Promise<void> {
    if (this.connection.isClosed()) return;
    await Promise.all(this.streams.map((stream) => stream.close()));
    await Promise.allSettled(this.loops);
    await this.connection.drain();
  }

  private async makeStream(): Promise<void> {
    const manager = await jetstreamManager(this.connection);
    const config = {
      name: STREAM,
      subjects: [`${SUBJECT_PREFIX}>`],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      max_age: nanos(STREAM_MAX_AGE_MS),
    };
    // Several services start at once; adding a stream that exists with the same settings is no error.
    await manager.streams.add(config);
  }

  private async startConsumer(consumer: Consumer): Promise<void> {
    const manager = await jetstreamManager(this.connection);
    await manager.consumers.add(STREAM, {
      durable_name: consumer.consumer,
      filter_subject: `${SUBJECT_PREFIX}${consumer.event}`,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.All,
      ack_wait: nanos(ACK_WAIT_MS),
      max_ack_pending: 1_000,
    });
    const pull = await this.client.consumers.get(STREAM, consumer.consumer);
    const stream = await pull.consume({ max_messages: CONCURRENCY });
    this.streams.push(stream);
    this.loops.push(this.drainStream(stream, consumer));
  }

  private async drainStream(stream: ConsumerMessages, consumer: Consumer): Promise<void> {
    const underWay = new Set<Promise<void>>();
    for await (const raw of stream) {
      const work = this.handleRaw(raw, consumer).finally(() => underWay.delete(work));
      underWay.add(work);
      if (underWay.size >= CONCURRENCY) await Promise.race(underWay);
    }
    await Promise.allSettled(underWay);
  }

  private async handleRaw(raw: JsMsg, { event, consumer, handle }: Consumer): Promise<void> {
    const alive = setInterval(() => raw.working(), ACK_WAIT_MS / 3);
    const attempts = raw.info.deliveryCount;
    let envelope: { id: number; payload: unknown } | undefined;
    try {
      envelope = raw.json<{ id: number; payload: unknown }>();
      await handle(readMessage(envelope.id, event, consumer, envelope.payload));
      await raw.ackAck();
    } catch (error) {
      this.log.warn({ err: error, consumer, event, messageId: envelope?.id, attempts }, 'a consumer failed');
      await this.refuseRaw(raw, attempts, { consumer, id: envelope?.id ?? raw.seq, event, payload: envelope?.payload ?? raw.string(), error });
    } finally {
      clearInterval(alive);
    }
  }

  private async refuseRaw(
    raw: JsMsg,
    attempts: number,
    letter: { consumer: string; id: number; event: string; payload: unknown; error: unknown },
  ): Promise<void> {
    if (attempts < MAX_TRIES) {
      raw.nak(backOffMs(attempts));
      return;
    }
    try {
      await writeDeadLetter(this.dataSource, { ...letter, attempts });
      raw.term('all tries failed');
    } catch (error) {
      this.log.error({ err: error, consumer: letter.consumer, messageId: letter.id }, 'a dead letter could not be written');
      raw.nak(backOffMs(attempts));
    }
  }
}
