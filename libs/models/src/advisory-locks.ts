/** Every advisory lock class of the product, so that no two mean different things by one number. */
export const ADVISORY_LOCKS = {
  migration: 7_001,
  outboxShard: 7_002,
  /** With the hash of a run's id: whoever writes that run's commit statuses. */
  commitStatus: 7_003,
} as const;
