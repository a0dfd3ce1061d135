import type { RunRecord } from '@triphammer/runs';
import { z } from 'zod';
import { CONCLUSION, STATE, STATUS, STATUS_WORDS } from './status-words';

const BRANCH = 'refs/heads/';

const USER = z.object({ login: z.string() });

/** Gitea's `ActionWorkflowRun`; `state`, `workflow_name` and `created_at` are ours. A time that has not come yet is left out. */
export const RUN = z.object({
  id: z.int(),
  url: z.string(),
  display_title: z.string(),
  path: z.string().describe('The workflow file, "@", and the ref'),
  event: z.string(),
  run_attempt: z.int(),
  run_number: z.int(),
  repository_id: z.int(),
  repository: z.object({
    id: z.int(),
    name: z.string(),
    full_name: z.string(),
    owner: USER,
    private: z.boolean(),
    default_branch: z.string(),
  }),
  head_sha: z.string(),
  head_branch: z.string().optional().describe('Left out when the ref is no branch'),
  status: STATUS,
  conclusion: CONCLUSION.optional(),
  state: STATE,
  actor: USER,
  trigger_actor: USER,
  workflow_name: z.string(),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().optional(),
  completed_at: z.iso.datetime().optional(),
});

export const RUN_LIST = z.object({ total_count: z.int(), workflow_runs: z.array(RUN) });

export function showRun(run: RunRecord, apiUrl: string): z.input<typeof RUN> {
  const { id, owner, name, isPrivate, defaultBranch } = run.repository;
  return {
    id: run.id,
    url: `${apiUrl}/repos/${owner}/${name}/actions/runs/${run.id}`,
    display_title: run.title,
    path: `${run.workflow}@${run.ref}`,
    event: run.event,
    run_attempt: run.attempt,
    run_number: run.number,
    repository_id: id,
    repository: { id, name, full_name: `${owner}/${name}`, owner: { login: owner }, private: isPrivate, default_branch: defaultBranch },
    head_sha: run.sha,
    head_branch: branchOf(run.ref),
    ...STATUS_WORDS[run.status],
    state: run.status,
    actor: { login: run.actor },
    trigger_actor: { login: run.triggeringActor },
    workflow_name: run.workflowName,
    created_at: run.createdAt.toISOString(),
    started_at: run.startedAt?.toISOString(),
    completed_at: run.stoppedAt?.toISOString(),
  };
}

export function branchOf(ref: string): string | undefined {
  return ref.startsWith(BRANCH) ? ref.slice(BRANCH.length) : undefined;
}

export function refOf(branch: string): string {
  return BRANCH + branch;
}
