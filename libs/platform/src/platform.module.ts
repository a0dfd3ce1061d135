import { type DynamicModule, Module } from '@nestjs/common';
import { BLOB_STORE, type BlobStore } from '@triphammer/blob-store';
import { CONFIG, type Config } from '@triphammer/config';
import { HINTS, type Hints } from '@triphammer/events';
import { CLOCK, type Clock } from '@triphammer/foundation';
import { SHARED_CACHE, type SharedCache } from '@triphammer/shared-cache';
import { DataSource } from 'typeorm';

/** What a process has, whichever adapters its settings chose. */
export interface PlatformParts {
  readonly config: Config;
  readonly dataSource: DataSource;
  readonly blobStore: BlobStore;
  readonly sharedCache: SharedCache;
  readonly hints: Hints;
  readonly clock: Clock;
}

/** Gives the parts to every feature. */
@Module({})
export class PlatformModule {
  static with(parts: PlatformParts): DynamicModule {
    const providers = [
      { provide: CONFIG, useValue: parts.config },
      { provide: DataSource, useValue: parts.dataSource },
      { provide: BLOB_STORE, useValue: parts.blobStore },
      { provide: SHARED_CACHE, useValue: parts.sharedCache },
      { provide: HINTS, useValue: parts.hints },
      { provide: CLOCK, useValue: parts.clock },
    ];
    return { module: PlatformModule, global: true, providers, exports: providers.map((provider) => provider.provide) };
  }
}
