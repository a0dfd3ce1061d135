/** One filter: SQL with `?` where the value goes. A filter without a value is left out. */
export type Condition = readonly [sql: string, value: unknown];

export interface Conjunction {
  /** Stands behind `where`; `true` when nothing is asked for. */
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The filters that have a value, joined by `and`, their values numbered from `$1` on. */
export function allOf(conditions: readonly Condition[]): Conjunction {
  const asked = conditions.filter(([, value]) => value !== undefined);
  if (asked.length === 0) return { text: 'true', values: [] };
  return {
    text: asked.map(([sql], index) => sql.replace('?', `$${index + 1}`)).join(' and '),
    values: asked.map(([, value]) => value),
  };
}

/** A part of a list; pages count from 1. */
export interface Window {
  readonly page: number;
  readonly limit: number;
}

/** `limit … offset …` for a window. Both are numbers, so they may stand in the text. */
export function pageOf({ page, limit }: Window): string {
  return `limit ${limit} offset ${(page - 1) * limit}`;
}
