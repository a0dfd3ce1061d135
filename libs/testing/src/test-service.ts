import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig } from '@triphammer/config';
import { type Clock, systemClock } from '@triphammer/foundation';
import { type FeatureModule, startService } from '@triphammer/platform';
import pino from 'pino';
import type { TestDatabase } from './test-database';

/** The secrets of every test service. */
export const TEST_SECRETS = {
  SECRET_KEY: 'a-secret-key-for-tests-of-32-characters',
  ADMIN_TOKEN: 'an-admin-token-for-tests-of-32-characters',
  REGISTRATION_TOKEN: 'a-registration-token-for-tests-32-characters',
} as const;

export interface TestService {
  readonly url: string;
  readonly config: Config;
  stop(): Promise<void>;
}

/** The features as one process with the local adapters, on a free port; several on one database are replicas. */
export async function startTestService(options: {
  readonly features: readonly FeatureModule[];
  readonly database: TestDatabase;
  readonly settings?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), 'triphammer-service-'));
  const environment = { DATABASE: options.database.url, DATA_DIR: folder, PORT: '0', ...TEST_SECRETS, ...options.settings };
  const config = loadConfig(environment, () => '');
  const log = pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' });
  const { dataSource } = options.database;
  const service = await startService({ name: 'test', features: options.features, config, dataSource, clock: options.clock ?? systemClock, log });
  return {
    url: service.address,
    config,
    stop: async () => {
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
