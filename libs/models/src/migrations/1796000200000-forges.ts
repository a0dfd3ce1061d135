import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Forges1796000200000 implements MigrationInterface {
  name = 'Forges1796000200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table forge_connection (
        id bigint generated always as identity primary key,
        kind text not null,
        name text not null constraint forge_connection_name_key unique,
        url text not null,
        namespace text,
        username text,
        token_ciphertext text,
        webhook_secret_ciphertext text not null,
        created_at timestamptz not null default now()
      );
      create table repository (
        id bigint generated always as identity primary key,
        owner_id bigint not null,
        connection_id bigint not null,
        forge_repository_id text not null,
        forge_full_name text not null,
        name text not null,
        lower_name text not null,
        default_branch text not null,
        is_private boolean not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        constraint repository_forge_key unique (connection_id, forge_repository_id),
        constraint repository_name_key unique (owner_id, lower_name)
      );
      create index repository_connection_idx on repository (connection_id);
      create table delivery (
        id bigint generated always as identity primary key,
        connection_id bigint not null,
        delivery_key text not null,
        event text not null,
        action text,
        repository_id bigint,
        ref text,
        sha text,
        before text,
        after text,
        body bytea not null,
        status text not null,
        duplicate_of bigint,
        trace jsonb,
        received_at timestamptz not null,
        evaluated_at timestamptz,
        constraint delivery_key unique (connection_id, delivery_key)
      );
      create index delivery_repository_idx on delivery (repository_id, id);
      create index delivery_ref_idx on delivery (repository_id, ref, received_at);
      create index delivery_sha_idx on delivery (sha);
      create table commit_status (
        id bigint generated always as identity primary key,
        repository_id bigint not null,
        sha text not null,
        context text not null,
        job_id bigint not null,
        state text not null,
        description text not null,
        target_url text not null,
        revision integer not null default 1,
        posted_revision integer not null default 0,
        attempts integer not null default 0,
        next_attempt_at timestamptz not null,
        posting_until timestamptz,
        last_error text,
        constraint commit_status_context_key unique (repository_id, sha, context)
      );
      create index commit_status_due_idx on commit_status (next_attempt_at) where posted_revision < revision;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table commit_status, delivery, repository, forge_connection');
  }
}
