import 'reflect-metadata';
import type { Server } from 'node:http';
import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from '@triphammer/config';
import { type Clock, Failure } from '@triphammer/foundation';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { openBlobStore, openEventTransport, openSharedCache } from './adapters';
import { EventServer } from './event-server';
import { mountHealth, Readiness } from './health';
import { HintListener } from './hint-listener';
import { createHttpAdapter } from './http-server';
import { NestLogger } from './nest-logger';
import { OutboxRelay } from './outbox-relay';
import { PlatformModule, type PlatformParts } from './platform.module';

const IDLE_SWEEP_MS = 50;

export type FeatureModule = Type<unknown>;

export interface ServiceOptions {
  /** The process's name in logs, in `pg_stat_activity` and at NATS. */
  readonly name: string;
  /** What this process carries. */
  readonly features: readonly FeatureModule[];
  readonly config: Config;
  readonly dataSource: DataSource;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Service {
  /** Where it listens: `http://127.0.0.1:3000`. */
  readonly address: string;
  /** Ends with the work under way done: not ready, no new work, then the parts in reverse order. */
  stop(): Promise<void>;
}

/** Steps back, the last first; each is tried whatever became of the others. */
export class Undo {
  private readonly steps: (() => void | Promise<void>)[] = [];

  constructor(private readonly onError: (error: unknown) => void) {}

  push(step: () => void | Promise<void>): void {
    this.steps.push(step);
  }

  async run(): Promise<void> {
    for (let step = this.steps.pop(); step; step = this.steps.pop()) {
      await Promise.resolve().then(step).catch(this.onError);
    }
  }
}

/** Opens the adapters that the settings choose, puts the features on them, and serves. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { log } = options;
  const undo = new Undo((error) => log.error({ err: error }, 'a part did not stop cleanly'));
  try {
    return { address: await assemble(options, undo), stop: () => undo.run() };
  } catch (error) {
    await undo.run();
    throw error;
  }
}

async function assemble({ name, features, config, dataSource, clock, log }: ServiceOptions, undo: Undo): Promise<string> {
  const blobStore = await openBlobStore(config);
  const sharedCache = await openSharedCache(config, log);
  undo.push(() => sharedCache.close());
  const transport = await openEventTransport(config, name, dataSource, log);
  undo.push(() => transport.close());
  const hints = new HintListener(dataSource, log);
  await hints.open();
  undo.push(() => hints.close());

  const app = await createApp(features, { config, dataSource, blobStore, sharedCache, hints, clock }, log);
  undo.push(() => closeHttp(app));
  const readiness = new Readiness([
    { name: 'database', probe: () => dataSource.query('select 1') },
    { name: 'blobs', probe: () => blobStore.check() },
    { name: 'cache', probe: () => sharedCache.check() },
    { name: 'bus', probe: () => transport.check() },
  ]);
  mountHealth(app.getHttpAdapter().getInstance() as unknown as FastifyInstance, readiness, config.operation.metricsToken);
  app.connectMicroservice({ strategy: new EventServer(transport) });
  const relay = new OutboxRelay(dataSource, transport, log);
  hints.onOutbox(() => relay.poke());
  hints.onGap(() => relay.poke());

  await app.startAllMicroservices();
  await listen(app, config);
  relay.start();
  undo.push(() => relay.stop());
  undo.push(() => readiness.drain());
  return app.getUrl();
}

/** A connection that falls idle after closing began would hold the process for as long as clients keep it; each is closed then. */
async function closeHttp(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpServer() as Server;
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  await app.close();
  clearInterval(sweep);
}

async function createApp(features: readonly FeatureModule[], parts: PlatformParts, log: Logger): Promise<NestFastifyApplication> {
  class ServiceModule {}
  Module({ imports: [PlatformModule.with(parts), ...features] })(ServiceModule);
  const adapter = createHttpAdapter(parts.config.network.pathPrefix, log);
  return NestFactory.create<NestFastifyApplication>(ServiceModule, adapter, { logger: new NestLogger(log), bodyParser: false, abortOnError: false });
}

async function listen(app: NestFastifyApplication, { network }: Config): Promise<void> {
  try {
    await app.listen(network.port, network.host);
  } catch (error) {
    throw toFailure(error, network);
  }
}

function toFailure(error: unknown, { host, port }: Config['network']): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new Failure('conflict', `Port ${port} on ${host} is in use. Stop what listens there, or set PORT.`, { cause: error });
    case 'EADDRNOTAVAIL':
    case 'EACCES':
      return new Failure('precondition-failed', `${host}:${port} cannot be listened on: ${(error as Error).message}`, { cause: error });
    default:
      return error;
  }
}
