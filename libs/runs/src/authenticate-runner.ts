import { type Clock, equalInConstantTime, Failure, sha256Hex } from '@triphammer/foundation';
import type { Sql } from '@triphammer/models';

/** What a process knows of a runner between two looks at the database. */
export interface RunnerIdentity {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly tokenHash: string;
  readonly ownerId: number | null;
  readonly repositoryId: number | null;
  readonly labels: readonly string[];
  readonly ephemeral: boolean;
}

interface Entry {
  readonly runner: RunnerIdentity | undefined;
  readonly readAt: number;
}

/** The net beneath the `runner.changed` hint. */
const FRESH_MS = 30_000;
/** Unknown uuids are remembered too, so that a deleted runner's polls cost no query each. */
const MAX_ENTRIES = 50_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The runners that call this process, so that a poll needs no query to know who asks. */
export class RunnerDirectory {
  private readonly entries = new Map<string, Entry>();

  constructor(
    private readonly sql: Sql,
    private readonly clock: Clock,
  ) {}

  /** The runner these two headers belong to; `unauthenticated` when there is none, or it is retired. No query when it called lately. */
  async authenticate(uuid: string, token: string): Promise<RunnerIdentity> {
    return this.recall(uuid, token) ?? this.lookUp(uuid, token);
  }

  /** The same from memory alone; undefined when the database has to be asked. For the idle poll. */
  recall(uuid: string, token: string): RunnerIdentity | undefined {
    const entry = this.entries.get(uuid);
    if (!entry?.runner || this.clock.now().getTime() - entry.readAt > FRESH_MS) return undefined;
    return hasToken(entry.runner, token) ? entry.runner : undefined;
  }

  /** Forgets a runner, because a hint says that it changed; without an id all of them. */
  forget(runnerId?: number): void {
    if (runnerId === undefined) return this.entries.clear();
    for (const [uuid, entry] of this.entries) {
      if (entry.runner === undefined || entry.runner.id === runnerId) this.entries.delete(uuid);
    }
  }

  private async lookUp(uuid: string, token: string): Promise<RunnerIdentity> {
    const known = this.entries.get(uuid);
    const now = this.clock.now().getTime();
    const entry = known && now - known.readAt <= FRESH_MS ? known : { runner: await readRunner(this.sql, uuid), readAt: now };
    if (this.entries.size >= MAX_ENTRIES) this.entries.clear();
    this.entries.set(uuid, entry);
    if (entry.runner && hasToken(entry.runner, token)) return entry.runner;
    throw new Failure('unauthenticated', 'This runner is not registered here, or its token is wrong. Register it again.');
  }
}

function hasToken(runner: RunnerIdentity, token: string): boolean {
  return equalInConstantTime(runner.tokenHash, sha256Hex(token));
}

async function readRunner(sql: Sql, uuid: string): Promise<RunnerIdentity | undefined> {
  if (!UUID.test(uuid)) return undefined;
  const found = await sql.query<{ -readonly [Key in keyof RunnerIdentity]: RunnerIdentity[Key] }>({
    name: 'runner-by-uuid',
    text: `select id, uuid, name, token_hash as "tokenHash", owner_id as "ownerId", repository_id as "repositoryId", labels, ephemeral
             from runner where uuid = $1 and retired_at is null`,
    values: [uuid],
  });
  return found.rows[0];
}
