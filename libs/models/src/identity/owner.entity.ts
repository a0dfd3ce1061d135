import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** Our own namespace of repositories and packages: local, or bound to an owner (user, organisation) of a forge. */
@Entity('owner')
@Unique('owner_name_key', ['lowerName'])
@Unique('owner_forge_key', ['connectionId', 'forgeOwnerId'])
export class Owner {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('text')
  name!: string;

  @Column('text', { name: 'lower_name' })
  lowerName!: string;

  /** With `forgeOwnerId`: the forge's owner that this one mirrors; both null for a local owner. */
  @Column('bigint', { name: 'connection_id', nullable: true })
  connectionId!: number | null;

  @Column('text', { name: 'forge_owner_id', nullable: true })
  forgeOwnerId!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
