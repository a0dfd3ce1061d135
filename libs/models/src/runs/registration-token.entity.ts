import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

@Entity('registration_token')
@Unique('registration_token_hash_key', ['tokenHash'])
export class RegistrationToken {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** SHA-256 of the token, hex. */
  @Column('text', { name: 'token_hash' })
  tokenHash!: string;

  @Column('bigint', { name: 'owner_id', nullable: true })
  ownerId!: number | null;

  @Column('bigint', { name: 'repository_id', nullable: true })
  repositoryId!: number | null;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;
}
