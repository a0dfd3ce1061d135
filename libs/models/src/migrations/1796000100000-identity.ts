import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Identity1796000100000 implements MigrationInterface {
  name = 'Identity1796000100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table owner (
        id bigint generated always as identity primary key,
        name text not null,
        lower_name text not null constraint owner_name_key unique,
        connection_id bigint,
        forge_owner_id text,
        created_at timestamptz not null default now(),
        constraint owner_forge_key unique (connection_id, forge_owner_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table owner');
  }
}
