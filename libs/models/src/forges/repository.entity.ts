import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn, Unique, UpdateDateColumn } from 'typeorm';

@Entity('repository')
@Unique('repository_forge_key', ['connectionId', 'forgeRepositoryId'])
@Unique('repository_name_key', ['ownerId', 'lowerName'])
export class Repository {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint', { name: 'owner_id' })
  ownerId!: number;

  @Index('repository_connection_idx')
  @Column('bigint', { name: 'connection_id' })
  connectionId!: number;

  /** The forge's own number as text; for plain git the path below the connection's URL. */
  @Column('text', { name: 'forge_repository_id' })
  forgeRepositoryId!: string;

  /** Owner and name as the forge spells them, `owner/name`: what its URLs and its API take. */
  @Column('text', { name: 'forge_full_name' })
  forgeFullName!: string;

  @Column('text')
  name!: string;

  @Column('text', { name: 'lower_name' })
  lowerName!: string;

  @Column('text', { name: 'default_branch' })
  defaultBranch!: string;

  @Column('boolean', { name: 'is_private' })
  isPrivate!: boolean;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  updatedAt!: Date;
}
