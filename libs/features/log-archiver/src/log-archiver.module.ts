import { Inject, Logger, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { mountApi } from '@triphammer/api-kit';
import { BLOB_STORE, type BlobStore } from '@triphammer/blob-store';
import { CONFIG, type Config } from '@triphammer/config';
import { isFailure } from '@triphammer/foundation';
import { authorizeAdmin } from '@triphammer/identity';
import { poolOf } from '@triphammer/models';
import { mountConnect, RunnerService } from '@triphammer/runner-rpc';
import { SHARED_CACHE, type SharedCache } from '@triphammer/shared-cache';
import type { FastifyInstance } from 'fastify';
import { DataSource } from 'typeorm';
import { LiveTails } from './live-tails';
import { LOG_ARCHIVER_API } from './log-archiver-api';
import { LogConsumers } from './log-consumers';
import { LogIngest } from './log-ingest';
import { LogSweeps } from './log-sweeps';

const RPC_PREFIX = '/api/actions';

const LIVE_TAILS = {
  provide: LiveTails,
  inject: [DataSource, BLOB_STORE, SHARED_CACHE],
  useFactory: (dataSource: DataSource, blobs: BlobStore, cache: SharedCache) => new LiveTails({ sql: poolOf(dataSource), blobs }, cache),
};

/** Takes the runners' logs, shows them while they grow and afterwards, and puts what is complete into the archive. */
@Module({ controllers: [LogConsumers], providers: [LogIngest, LIVE_TAILS, LogSweeps] })
export class LogArchiverModule implements OnModuleInit {
  private readonly logger = new Logger('LogArchiver');

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly dataSource: DataSource,
    private readonly ingest: LogIngest,
    private readonly tails: LiveTails,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    mountConnect(fastify, {
      prefix: RPC_PREFIX,
      service: RunnerService,
      methods: { updateLog: (request, context) => this.ingest.updateLog(request, context) },
      admit: async (headers) => {
        await this.ingest.authenticate(headers);
      },
      onError: (error, procedure) => this.reportRefusal(error, procedure),
    });
    mountApi(fastify, {
      routes: LOG_ARCHIVER_API,
      deps: { source: { sql: poolOf(this.dataSource), blobs: this.blobs }, tails: this.tails },
      authorize: authorizeAdmin(this.config.secrets.adminToken),
      publicUrl: this.config.network.publicUrl,
    });
  }

  /** What a client did wrong is its own news; what went wrong here is ours. */
  private reportRefusal(error: unknown, procedure: string): void {
    const isOurs = !isFailure(error) || ['unavailable', 'corrupt', 'upstream-failed'].includes(error.code);
    if (isOurs) this.logger.error({ msg: 'a runner call failed', procedure, err: error });
    else this.logger.debug({ msg: 'a runner call was refused', procedure, code: error.code, reason: error.message });
  }
}
