import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The last run number given in a repository. */
@Entity('repository_counter')
export class RepositoryCounter {
  @PrimaryColumn('bigint', { name: 'repository_id' })
  repositoryId!: number;

  @Column('bigint', { name: 'last_run_number' })
  lastRunNumber!: number;
}
