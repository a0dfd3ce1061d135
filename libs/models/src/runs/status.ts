/** The states of a job, and by combination those of an attempt and a run (workflow-semantics: statuses and aggregation). */
export type RunStatus = 'blocked' | 'waiting' | 'running' | 'cancelling' | 'success' | 'failure' | 'cancelled' | 'skipped';
