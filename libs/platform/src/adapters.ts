import { join } from 'node:path';
import type { BlobStore } from '@triphammer/blob-store';
import { DiskBlobStore } from '@triphammer/blob-store/disk';
import { S3BlobStore } from '@triphammer/blob-store/s3';
import type { Config } from '@triphammer/config';
import type { EventTransport } from '@triphammer/events';
import { JetStreamTransport } from '@triphammer/events/jetstream';
import { LocalTransport } from '@triphammer/events/local';
import type { SharedCache } from '@triphammer/shared-cache';
import { MemorySharedCache } from '@triphammer/shared-cache/memory';
import { RedisSharedCache } from '@triphammer/shared-cache/redis';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';

/** The only place that knows which adapter a setting stands for: one switch for each port. */

export async function openBlobStore(config: Config): Promise<BlobStore> {
  switch (config.blobs.kind) {
    case 'disk':
      return new DiskBlobStore(join(config.dataDir, 'blobs'));
    case 's3': {
      const store = new S3BlobStore({ ...config.blobs, url: config.blobs.endpoint });
      await store.ensureBucket();
      return store;
    }
  }
}

export async function openSharedCache(config: Config, log: Logger): Promise<SharedCache> {
  const onError = (error: unknown) => log.warn({ err: error }, 'the shared cache has a problem');
  switch (config.cache.kind) {
    case 'memory':
      return new MemorySharedCache(onError);
    case 'redis':
      return RedisSharedCache.connect(config.cache.url, onError);
  }
}

export async function openEventTransport(config: Config, name: string, dataSource: DataSource, log: Logger): Promise<EventTransport> {
  switch (config.bus.kind) {
    case 'local':
      return new LocalTransport(dataSource, log);
    case 'nats':
      return JetStreamTransport.connect(config.bus.url, name, dataSource, log);
  }
}
