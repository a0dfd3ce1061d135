import type { Pattern } from '@triphammer/glob';
import type { Position } from './diagnostic';
import type { TextMap } from './fields';
import type { Json, JsonObject } from './json';
import type { Template } from './template';

/** A workflow file that can be planned. */
export interface Workflow {
  /** As given to the reader: `.gitea/workflows/ci.yml`. */
  readonly path: string;
  readonly name: string | null;
  /** The title of its runs, where the file gives one that needs no evaluation. */
  readonly runName: string | null;
  readonly on: Triggers;
  readonly env: TextMap;
  readonly defaults: JsonObject | null;
  readonly permissions: Json;
  readonly jobs: readonly Job[];
}

export interface Triggers {
  readonly push: PushTrigger | null;
  /** Other events that the file names; none of them starts a run yet. */
  readonly others: readonly string[];
}

export const PUSH_FILTERS = ['branches', 'branches-ignore', 'tags', 'tags-ignore', 'paths', 'paths-ignore'] as const;

export type PushFilter = (typeof PUSH_FILTERS)[number];

export interface PushTrigger {
  /** Filters with at least one pattern; an empty list has no effect and is left out. */
  readonly filters: Partial<Readonly<Record<PushFilter, readonly Pattern[]>>>;
  /** A key that is no filter: nobody can say what it was to let through, so nothing is. */
  readonly unknownKeys: readonly string[];
}

export interface Job {
  readonly id: string;
  readonly at: Position;
  /** Null: called by its id. */
  readonly name: Template | null;
  /** `if` as written; null: when all that is needed has succeeded. */
  readonly condition: string | null;
  readonly needs: readonly string[];
  /** Empty: any runner may take it. */
  readonly runsOn: readonly Template[];
  readonly runsOnAt: Position;
  readonly strategy: Strategy;
  readonly timeoutMinutes: number | Template | null;
  readonly timeoutAt: Position;
  readonly continueOnError: boolean | Template;
  readonly continueOnErrorAt: Position;
  readonly env: TextMap;
  readonly outputs: TextMap;
  readonly defaults: JsonObject | null;
  readonly permissions: Json;
  readonly container: string | JsonObject | null;
  readonly services: JsonObject | null;
  readonly steps: readonly JsonObject[];
}

export interface Strategy {
  /** Null: the job has none. */
  readonly matrix: Matrix | null;
  readonly failFast: boolean | null;
  readonly maxParallel: number | null;
}

export interface Matrix {
  /** In declared order. */
  readonly axes: readonly MatrixAxis[];
  /** Merged into the combinations that they agree with, else combinations of their own. Keys that are axes have the axis's spelling. */
  readonly include: readonly JsonObject[];
  /** Combinations that agree with one are dropped. All keys are axes, in the axis's spelling. */
  readonly exclude: readonly JsonObject[];
}

export interface MatrixAxis {
  readonly name: string;
  readonly values: readonly Json[];
}
