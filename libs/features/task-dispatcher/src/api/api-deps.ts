import type { Config } from '@triphammer/config';
import type { Clock } from '@triphammer/foundation';
import type { DataSource } from 'typeorm';

/** What the routes work with. */
export interface ApiDeps {
  readonly dataSource: DataSource;
  readonly config: Config;
  readonly clock: Clock;
}
