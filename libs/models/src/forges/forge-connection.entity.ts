import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

/** `gitea` covers Forgejo as well; `git` is any git server without an API. */
export type ForgeKind = 'gitea' | 'git';

@Entity('forge_connection')
@Unique('forge_connection_name_key', ['name'])
export class ForgeConnection {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('text')
  kind!: ForgeKind;

  @Column('text')
  name!: string;

  /** The forge's root (http or https); for plain git also the absolute path of the folder that holds the repositories. */
  @Column('text')
  url!: string;

  /** When set, repositories of this connection live under this one owner name instead of the forge's. */
  @Column('text', { nullable: true })
  namespace!: string | null;

  /** The user that goes with `tokenCiphertext` in git's Basic credential. */
  @Column('text', { nullable: true })
  username!: string | null;

  @Column('text', { name: 'token_ciphertext', nullable: true })
  tokenCiphertext!: string | null;

  @Column('text', { name: 'webhook_secret_ciphertext' })
  webhookSecretCiphertext!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
