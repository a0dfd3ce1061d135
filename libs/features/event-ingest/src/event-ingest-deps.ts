import type { SecretBox } from '@triphammer/forges';
import type { DataSource } from 'typeorm';

export interface EventIngestDeps {
  readonly dataSource: DataSource;
  readonly secrets: SecretBox;
  /** Our own address, without a slash at its end. */
  readonly publicUrl: string;
}
