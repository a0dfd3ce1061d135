import { create, type JsonObject } from '@bufbuild/protobuf';
import { Result, type Task, TaskNeedSchema, TaskSchema } from '@triphammer/runner-rpc';
import { inRunnersSpelling, type NeedFacts, type TaskContent } from '@triphammer/runs';
import { githubContext, renderPayload } from '@triphammer/workflows';

export interface TaskFrame {
  readonly taskId: number;
  readonly jobToken: string;
  readonly runnerLabels: readonly string[];
  readonly repository: {
    readonly id: number;
    readonly name: string;
    readonly ownerId: number;
    readonly ownerName: string;
  };
  readonly publicUrl: string;
  readonly defaultActionsUrl: string;
  readonly serverVersion: string;
}

/** Logs are kept without an end for now; runners only pass the number on to the artifact actions. */
const RETENTION_DAYS = 90;
/** A runner without labels still needs some in the payload, which it compares with nothing. */
const ANY_LABEL = 'any';

const RESULT_OF = {
  success: Result.SUCCESS,
  failure: Result.FAILURE,
  cancelled: Result.CANCELLED,
  skipped: Result.SKIPPED,
} as const satisfies Record<string, Result>;

/** A claimed job as the runner gets it. Throws when a part of the content cannot be read. */
export function encodeTask(content: TaskContent, frame: TaskFrame): Task {
  const labels = inRunnersSpelling(content.labels, frame.runnerLabels);
  return create(TaskSchema, {
    id: BigInt(frame.taskId),
    workflowPayload: Buffer.from(renderPayload(content.payload, labels.length > 0 ? labels : [ANY_LABEL])),
    context: encodeContext(content, frame),
    // Never empty: stock runners write into this map and crash when it is missing.
    secrets: { GITHUB_TOKEN: frame.jobToken, GITEA_TOKEN: frame.jobToken, FORGEJO_TOKEN: frame.jobToken },
    needs: Object.fromEntries(Object.entries(content.needs).map(([key, need]) => [key, encodeNeed(need)])),
    vars: {},
  });
}

function encodeNeed({ result, outputs }: NeedFacts) {
  return create(TaskNeedSchema, { outputs: { ...outputs }, result: RESULT_OF[result as keyof typeof RESULT_OF] ?? Result.UNSPECIFIED });
}

function encodeContext({ run, jobKey }: TaskContent, frame: TaskFrame): JsonObject {
  const { repository } = frame;
  const address = frame.publicUrl.replace(/\/+$/, '');
  return githubContext({
    run: { id: run.id, number: run.number, attempt: run.attempt },
    jobId: jobKey,
    workflow: { directory: run.workflowFolder, file: run.workflow },
    repository: { ...repository, htmlUrl: `${address}/${repository.ownerName}/${repository.name}` },
    eventName: run.event,
    event: run.eventPayload as JsonObject,
    ref: run.ref,
    sha: run.sha,
    actor: { name: run.actor, id: null },
    serverUrl: frame.publicUrl,
    jobToken: frame.jobToken,
    defaultActionsUrl: frame.defaultActionsUrl,
    serverVersion: frame.serverVersion,
    retentionDays: RETENTION_DAYS,
  }) as JsonObject;
}
