import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Logs1796000400000 implements MigrationInterface {
  name = 'Logs1796000400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table task_log (
        task_id bigint primary key,
        rows bigint not null default 0,
        bytes bigint not null default 0,
        dropped_rows bigint not null default 0,
        is_complete boolean not null default false,
        completed_at timestamptz,
        archive_digest text,
        archive_encoding text,
        archive_size bigint,
        archive_frame_rows integer[],
        archive_frame_bytes integer[],
        sealed_at timestamptz
      ) with (fillfactor = 80);
      create index task_log_open_idx on task_log (task_id) where not is_complete;
      create index task_log_unsealed_idx on task_log (completed_at) where is_complete and archive_digest is null;
      create table task_log_chunk (
        task_id bigint not null,
        start_index bigint not null,
        rows integer not null,
        data bytea not null,
        primary key (task_id, start_index)
      );
      alter table task_log_chunk alter column data set storage external;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table task_log_chunk, task_log');
  }
}
