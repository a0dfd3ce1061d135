import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Events1796000500000 implements MigrationInterface {
  name = 'Events1796000500000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table outbox (
        id bigint generated always as identity primary key,
        shard smallint not null,
        event text not null,
        payload jsonb not null,
        attempts integer not null default 0,
        next_attempt_at timestamptz not null default now(),
        created_at timestamptz not null default now()
      ) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);
      create index outbox_due_idx on outbox (shard, id);
      create table inbox (
        consumer text not null,
        message_id bigint not null,
        handled_at timestamptz not null default now(),
        primary key (consumer, message_id)
      );
      create index inbox_handled_idx on inbox (handled_at);
      create table dead_letter (
        consumer text not null,
        message_id bigint not null,
        event text not null,
        payload jsonb not null,
        error text not null,
        attempts integer not null,
        failed_at timestamptz not null default now(),
        primary key (consumer, message_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table dead_letter, inbox, outbox');
  }
}
