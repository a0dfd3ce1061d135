/** What the API answers, as far as the CLI looks at it; with `--json` all of it is passed on. */
export type State = 'blocked' | 'waiting' | 'running' | 'cancelling' | 'success' | 'failure' | 'cancelled' | 'skipped';

export interface Run {
  readonly id: number;
  readonly run_number: number;
  readonly display_title: string;
  readonly path: string;
  readonly event: string;
  readonly head_branch?: string;
  readonly head_sha: string;
  readonly status: string;
  readonly state: State;
  readonly workflow_name: string;
  readonly repository: { readonly full_name: string };
  readonly actor: { readonly login: string };
  readonly created_at: string;
  readonly started_at?: string;
  readonly completed_at?: string;
}

export interface Job {
  readonly id: number;
  readonly url: string;
  readonly run_id: number;
  readonly name: string;
  readonly state: State;
  readonly runner_name?: string;
  readonly waiting: { readonly text: string } | null;
  readonly reason: string | null;
  readonly started_at?: string;
  readonly completed_at?: string;
}

export interface Runner {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly busy: boolean;
  readonly labels: readonly { readonly name: string }[];
  readonly version: string;
  readonly owner: string | null;
  readonly repository: string | null;
  readonly last_seen_at?: string;
}

export interface LogRow {
  readonly index: number;
  readonly time: string;
  readonly content: string;
}
