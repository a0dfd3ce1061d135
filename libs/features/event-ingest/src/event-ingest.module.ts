import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { mountApi } from '@triphammer/api-kit';
import { CONFIG, type Config } from '@triphammer/config';
import { CLOCK, type Clock } from '@triphammer/foundation';
import { authorizeAdmin, secretBox } from '@triphammer/identity';
import type { FastifyInstance } from 'fastify';
import { DataSource } from 'typeorm';
import { cloneAccess } from './clone-access';
import { mountCloneProxy } from './clone-proxy/clone-proxy';
import { EVENT_INGEST_API } from './event-ingest-api';
import { mountWebhooks } from './mount-webhooks';

/** Where the forges come in: their webhooks, the API of forges and deliveries, and the clones that jobs make through us. */
@Module({})
export class EventIngestModule implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    const { config, dataSource, clock } = this;
    const { secretKey, adminToken } = config.secrets;
    const { publicUrl } = config.network;
    const secrets = secretBox(secretKey);
    mountWebhooks(fastify, { dataSource, secrets, clock, bodyLimit: config.forges.webhookBodyLimit });
    mountApi(fastify, { routes: EVENT_INGEST_API, deps: { dataSource, secrets, publicUrl }, authorize: authorizeAdmin(adminToken), publicUrl });
    mountCloneProxy(fastify, cloneAccess(dataSource, secrets, secretKey));
  }
}
