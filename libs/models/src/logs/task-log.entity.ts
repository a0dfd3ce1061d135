import { Column, Entity, PrimaryColumn } from 'typeorm';

/** `zstd`: seekable zstd; `none`: the rows' bytes as they are. */
export type LogEncoding = 'zstd' | 'none';

/** A task's log: how much of it is stored, and where it lies once it is sealed. */
@Entity('task_log')
export class TaskLog {
  @PrimaryColumn('bigint', { name: 'task_id' })
  taskId!: number;

  /** Rows stored: the index of the next row, and what is acknowledged. */
  @Column('bigint', { default: 0 })
  rows!: number;

  /** Bytes of the stored rows, uncompressed. */
  @Column('bigint', { default: 0 })
  bytes!: number;

  /** The runner said `no_more`, or the task ended without saying it: nothing is appended from here on. */
  @Column('boolean', { name: 'is_complete', default: false })
  isComplete!: boolean;

  /** Digest of the archive object; null while the log lives in chunks. */
  @Column('text', { name: 'archive_digest', nullable: true })
  archiveDigest!: string | null;

  @Column('text', { name: 'archive_encoding', nullable: true })
  archiveEncoding!: LogEncoding | null;

  @Column('bigint', { name: 'archive_size', nullable: true })
  archiveSize!: number | null;

  @Column('timestamptz', { name: 'sealed_at', nullable: true })
  sealedAt!: Date | null;
}
