import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** `zstd`: seekable zstd; `none`: the rows' bytes as they are. */
export type LogEncoding = 'zstd' | 'none';

/** A task's log: how much of it is stored, and where it lies once it is sealed. */
@Entity('task_log')
@Index('task_log_open_idx', { synchronize: false })
@Index('task_log_unsealed_idx', { synchronize: false })
export class TaskLog {
  @PrimaryColumn('bigint', { name: 'task_id' })
  taskId!: number;

  /** Rows taken from the runner: the index of its next row, and what is acknowledged. */
  @Column('bigint', { default: 0 })
  rows!: number;

  /** Bytes of the stored rows, uncompressed. */
  @Column('bigint', { default: 0 })
  bytes!: number;

  /** The last of `rows`, acknowledged but not stored because the task logged too much. One row of ours stands for all of them. */
  @Column('bigint', { name: 'dropped_rows', default: 0 })
  droppedRows!: number;

  /** The runner said `no_more`, or the task ended without saying it: nothing is appended from here on. */
  @Column('boolean', { name: 'is_complete', default: false })
  isComplete!: boolean;

  @Column('timestamptz', { name: 'completed_at', nullable: true })
  completedAt!: Date | null;

  /** Digest of the archive object; null while the log lives in chunks. */
  @Column('text', { name: 'archive_digest', nullable: true })
  archiveDigest!: string | null;

  @Column('text', { name: 'archive_encoding', nullable: true })
  archiveEncoding!: LogEncoding | null;

  @Column('bigint', { name: 'archive_size', nullable: true })
  archiveSize!: number | null;

  /** How many rows each frame of the archive holds; frames begin and end with whole rows. */
  @Column('integer', { name: 'archive_frame_rows', array: true, nullable: true })
  archiveFrameRows!: number[] | null;

  /** How many bytes of the archive each frame takes, as stored. */
  @Column('integer', { name: 'archive_frame_bytes', array: true, nullable: true })
  archiveFrameBytes!: number[] | null;

  @Column('timestamptz', { name: 'sealed_at', nullable: true })
  sealedAt!: Date | null;
}
