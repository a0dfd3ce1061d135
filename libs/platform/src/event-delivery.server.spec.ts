import { raise } from '@triphammer/foundation';
import { JetStreamTransport } from '@triphammer/events/jetstream';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { beforeEach } from '@jest/globals';
import pino from 'pino';
import { describeEventDelivery } from './event-delivery.contract';

const url = process.env['TEST_NATS_URL'] ?? raise('set TEST_NATS_URL to a NATS server with JetStream');

// Each test has a database of its own, so message ids begin anew: the stream must forget those of the test before.
beforeEach(async () => {
  const connection = await connect({ servers: url });
  const manager = await jetstreamManager(connection);
  await manager.streams.delete('TRIPHAMMER').catch(() => false);
  await connection.close();
});

describeEventDelivery('JetStream', (dataSource) => JetStreamTransport.connect(url, 'test', dataSource, pino({ level: 'silent' })));
