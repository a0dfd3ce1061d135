const MAX_CONFIRMED = 50_000;

/**
 * Collects which tasks were heard of, so that a heartbeat costs no statement of its own. The first call of a task is noted at
 * once: it confirms that the task has reached its runner.
 */
export class HeardTasks {
  private readonly pending = new Set<number>();
  private readonly confirmed = new Set<number>();
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly write: (taskIds: readonly number[]) => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  note(taskId: number): void {
    this.pending.add(taskId);
    if (this.confirmed.has(taskId)) return;
    if (this.confirmed.size >= MAX_CONFIRMED) this.confirmed.clear();
    this.confirmed.add(taskId);
    void this.flush();
  }

  /** Never rejects: what could not be written is written the next time. */
  flush(): Promise<void> {
    this.turn = this.turn.then(() => this.writePending());
    return this.turn;
  }

  private async writePending(): Promise<void> {
    if (this.pending.size === 0) return;
    const taskIds = [...this.pending];
    this.pending.clear();
    try {
      await this.write(taskIds);
    } catch (error) {
      for (const taskId of taskIds) this.pending.add(taskId);
      this.onError(error);
    }
  }
}
