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
  calledAt: number;
  /** The token that proved right. A hash for each poll would be a tenth of what an idle one costs. */
  proven?: string;
}

type Found = ReadonlyMap<string, RunnerIdentity>;

/** The net beneath the `runner.changed` hint. */
const FRESH_MS = 30_000;
/** Two held polls and more: who has not called for so long is let go. */
const CALLING_MS = 120_000;
/** Unknown uuids are remembered too, so that a deleted runner's polls cost no query each. */
const MAX_ENTRIES = 50_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The runners that call this process, so that a poll needs no query to know who asks. What has become old is read again
 * for all of them together: ten thousand runners that poll cost two statements in thirty seconds.
 */
export class RunnerDirectory {
  private readonly entries = new Map<string, Entry>();
  /** By each uuid that is being read. */
  private readonly underWay = new Map<string, Promise<Found>>();

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
    const now = this.now();
    if (!entry?.runner || now - entry.readAt > FRESH_MS) return undefined;
    if (entry.proven === undefined || !equalInConstantTime(entry.proven, token)) {
      if (!hasToken(entry.runner, token)) return undefined;
      entry.proven = token;
    }
    entry.calledAt = now;
    return entry.runner;
  }

  /** Forgets a runner, because a hint says that it changed; without an id all of them. */
  forget(runnerId?: number): void {
    // What is being read may be from before the change: nobody else may rely on it.
    this.underWay.clear();
    if (runnerId === undefined) return this.entries.clear();
    for (const [uuid, entry] of this.entries) {
      if (entry.runner === undefined || entry.runner.id === runnerId) this.entries.delete(uuid);
    }
  }

  private async lookUp(uuid: string, token: string): Promise<RunnerIdentity> {
    const entry = this.entries.get(uuid);
    const isFresh = entry !== undefined && this.now() - entry.readAt <= FRESH_MS;
    const runner = isFresh ? entry.runner : (await (this.underWay.get(uuid) ?? this.read(uuid, entry))).get(uuid);
    if (runner && hasToken(runner, token)) return runner;
    throw new Failure('unauthenticated', 'This runner is not registered here, or its token is wrong. Register it again.');
  }

  private async read(uuid: string, known: Entry | undefined): Promise<Found> {
    const now = this.now();
    const calledAt = new Map(known ? this.takeOld(now) : []).set(uuid, now);
    const reading = readRunners(this.sql, [...calledAt.keys()]);
    for (const each of calledAt.keys()) this.underWay.set(each, reading);
    try {
      const found = await reading;
      for (const [each, at] of calledAt) if (this.underWay.get(each) === reading) this.remember(each, { runner: found.get(each), readAt: now, calledAt: at });
      return found;
    } finally {
      for (const each of calledAt.keys()) if (this.underWay.get(each) === reading) this.underWay.delete(each);
    }
  }

  private remember(uuid: string, entry: Entry): void {
    if (this.entries.size >= MAX_ENTRIES) this.entries.clear();
    this.entries.set(uuid, entry);
  }

  /** When each last called whose entry is old, or will be within half the time; the entries of those who call no more are dropped. */
  private takeOld(now: number): readonly [string, number][] {
    const old = [...this.entries].filter(([uuid, entry]) => now - entry.readAt > FRESH_MS / 2 && !this.underWay.has(uuid));
    const [calling, gone] = [old.filter(([, entry]) => isCalling(entry, now)), old.filter(([, entry]) => !isCalling(entry, now))];
    for (const [uuid] of gone) this.entries.delete(uuid);
    return calling.map(([uuid, entry]) => [uuid, entry.calledAt]);
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

function isCalling({ calledAt }: Entry, now: number): boolean {
  return now - calledAt <= CALLING_MS;
}

function hasToken(runner: RunnerIdentity, token: string): boolean {
  return equalInConstantTime(runner.tokenHash, sha256Hex(token));
}

async function readRunners(sql: Sql, uuids: readonly string[]): Promise<Found> {
  const wellFormed = uuids.filter((uuid) => UUID.test(uuid));
  if (wellFormed.length === 0) return new Map();
  const found = await sql.query<{ -readonly [Key in keyof RunnerIdentity]: RunnerIdentity[Key] }>({
    name: 'runners-by-uuid',
    text: `select id, uuid, name, token_hash as "tokenHash", owner_id as "ownerId", repository_id as "repositoryId", labels, ephemeral
             from runner where uuid = any($1) and retired_at is null`,
    values: [wellFormed],
  });
  return new Map(found.rows.map((row) => [row.uuid, row]));
}
