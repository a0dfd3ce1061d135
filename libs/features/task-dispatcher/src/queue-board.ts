import { lackingLabels, type RunnerScope } from '@triphammer/runs';

const NONE: readonly number[] = [];

interface Queue {
  /** Raised by each announcement. */
  announcement: number;
  /** Scopes in which a claim found too little since the last announcement. */
  readonly exhausted: Set<string>;
}

/**
 * What this process believes may be claimed: the label sets that have waiting jobs, less the scopes in which a claim
 * found none since. A set that is listed in vain costs one claim; one that is missing is put right by the next hint or
 * reload.
 */
export class QueueBoard {
  private readonly queues = new Map<number, Queue>();
  private labelSets: ReadonlyMap<number, readonly string[]> = new Map();
  /** By the runner's labels: the keys of the sets that they cover. */
  private readonly servable = new Map<string, readonly number[]>();
  private announcements = 0;

  setLabelSets(sets: ReadonlyMap<number, readonly string[]>): void {
    this.labelSets = sets;
    this.servable.clear();
  }

  knows(labelKey: number): boolean {
    return this.labelSets.has(labelKey);
  }

  /** Jobs with this label set have become claimable. */
  announce(labelKey: number): void {
    this.announcements += 1;
    this.queues.set(labelKey, { announcement: this.announcements, exhausted: new Set() });
  }

  /** These label sets, and no others, have waiting jobs. */
  replace(labelKeys: readonly number[]): void {
    this.queues.clear();
    for (const key of labelKeys) this.announce(key);
  }

  /** Which announcement a claim that begins now acts on. */
  announcementOf(labelKey: number): number {
    return this.queues.get(labelKey)?.announcement ?? 0;
  }

  /** A claim of this scope found less than it asked for; jobs that were announced while it ran are not touched by that. */
  exhaust(labelKey: number, scope: RunnerScope, announcement: number): void {
    const queue = this.queues.get(labelKey);
    if (queue?.announcement === announcement) queue.exhausted.add(scopeName(scope));
  }

  /** The label sets that a runner with these labels and this scope could take a job of now. */
  claimable(labels: readonly string[], scope: RunnerScope): readonly number[] {
    if (this.queues.size === 0) return NONE;
    const name = scopeName(scope);
    return this.servableBy(labels).filter((key) => this.queues.get(key)?.exhausted.has(name) === false);
  }

  private servableBy(labels: readonly string[]): readonly number[] {
    const name = labels.join('\0');
    const known = this.servable.get(name);
    if (known) return known;
    const keys = [...this.labelSets].filter(([, wanted]) => lackingLabels(labels, wanted).length === 0).map(([key]) => key);
    this.servable.set(name, keys);
    return keys;
  }
}

export function scopeName({ ownerId, repositoryId }: RunnerScope): string {
  if (repositoryId !== null) return `repository ${repositoryId}`;
  return ownerId === null ? 'all' : `owner ${ownerId}`;
}
