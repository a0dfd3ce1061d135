import type { Json, JsonObject } from './json';

export interface RunSubject {
  readonly run: { readonly id: number; readonly number: number; readonly attempt: number };
  /** The folder of workflows and the file's path below it: `.gitea/workflows` and `ci.yml`. */
  readonly workflow: { readonly directory: string; readonly file: string };
  readonly repository: {
    readonly id: number;
    readonly name: string;
    readonly ownerId: number;
    readonly ownerName: string;
  };
  readonly eventName: string;
  /** The forge's payload, numbers as numbers: actions compare ids by type. */
  readonly event: JsonObject;
  readonly ref: string;
  /** A commit; for an annotated tag the commit it points at, not the tag object. */
  readonly sha: string;
  readonly actor: { readonly name: string; readonly id: number | null };
}

export interface ContextSubject extends RunSubject {
  readonly repository: RunSubject['repository'] & { readonly htmlUrl: string };
  readonly jobId: string;
  /** The address that runners reach us under, with any path prefix. */
  readonly serverUrl: string;
  readonly jobToken: string;
  readonly defaultActionsUrl: string;
  readonly serverVersion: string;
  readonly retentionDays: number;
}

/**
 * The `github` context of a task, with the names that Gitea's and Forgejo's runners read side by side. Runners decode every
 * value as a string, except `event` and `ref_protected`.
 */
export function githubContext(subject: ContextSubject): JsonObject {
  const server = subject.serverUrl.replace(/\/+$/, '');
  return {
    ...FILLED_BY_RUNNER,
    ...runContext(subject),
    job: subject.jobId,
    repositoryUrl: subject.repository.htmlUrl,
    retention_days: String(subject.retentionDays),
    secret_source: 'Actions',
    server_url: `${server}/`,
    api_url: `${server}/api/v1`,
    token: subject.jobToken,
    gitea_runtime_token: subject.jobToken,
    forgejo_runtime_token: subject.jobToken,
    gitea_default_actions_url: subject.defaultActionsUrl,
    forgejo_default_actions_url: subject.defaultActionsUrl,
    forgejo_server_version: subject.serverVersion,
  };
}

/** The part of the `github` context that is the same for all jobs of an attempt, and that the server's own decisions read. */
export function runContext({ run, repository, workflow, ref, ...subject }: RunSubject): JsonObject {
  const fullName = `${repository.ownerName}/${repository.name}`;
  return {
    actor: subject.actor.name,
    actor_id: subject.actor.id === null ? '' : String(subject.actor.id),
    triggering_actor: subject.actor.name,
    event: subject.event,
    event_name: subject.eventName,
    ...refNames(ref),
    ref_protected: false,
    sha: subject.sha,
    base_ref: '',
    head_ref: '',
    repository: fullName,
    repository_id: String(repository.id),
    repository_owner: repository.ownerName,
    repository_owner_id: String(repository.ownerId),
    run_id: String(run.id),
    run_number: String(run.number),
    run_attempt: String(run.attempt),
    workflow: workflow.file,
    workflow_ref: `${fullName}/${workflow.directory}/${workflow.file}@${ref}`,
  };
}

/** Paths and names that exist only while a step runs. */
const FILLED_BY_RUNNER = {
  action: '',
  action_path: '',
  action_ref: '',
  action_repository: '',
  action_status: '',
  env: '',
  event_path: '',
  graphql_url: '',
  path: '',
  workspace: '',
} as const satisfies Record<string, Json>;

const REF_TYPES = [
  { prefix: 'refs/heads/', type: 'branch' },
  { prefix: 'refs/tags/', type: 'tag' },
] as const;

function refNames(ref: string): JsonObject {
  const known = REF_TYPES.find(({ prefix }) => ref.startsWith(prefix));
  return { ref, ref_name: known ? ref.slice(known.prefix.length) : ref, ref_type: known?.type ?? '' };
}
