import { Logger } from '@nestjs/common';
import type { Config } from '@triphammer/config';
import { type Clock, Failure, isFailure } from '@triphammer/foundation';
import { signJobToken } from '@triphammer/identity';
import { poolOf, type Sql, transaction } from '@triphammer/models';
import type { Task } from '@triphammer/runner-rpc';
import { type ClaimedJob, endTask, readTaskContent, type RunnerIdentity } from '@triphammer/runs';
import type { DataSource } from 'typeorm';
import { encodeTask, type TaskFrame } from './encode-task';

interface Deps {
  readonly dataSource: DataSource;
  readonly config: Config;
  readonly clock: Clock;
  readonly serverVersion: string;
}

const logger = new Logger('TaskDispatcher');

/**
 * Makes the task of a claimed job. A job that cannot be made into one fails here and now, with the reason for its author,
 * and undefined is returned: one malformed job must not stand in the way of all others (R08).
 */
export async function prepareTask(deps: Deps, job: ClaimedJob, runner: RunnerIdentity): Promise<Task | undefined> {
  const content = await readTaskContent(poolOf(deps.dataSource), job.taskId);
  const repository = content && (await readRepository(poolOf(deps.dataSource), job.taskId));
  try {
    if (!repository) throw new Failure('corrupt', 'its payload, its run or its repository is gone.');
    return encodeTask(content, frameOf(deps, job, runner, repository, content.run.ownerId));
  } catch (error) {
    logger.error({ msg: 'a job could not be prepared', err: error, jobId: job.jobId });
    await failJob(deps, job, error);
    return undefined;
  }
}

/** `ownerId` is whose the job was when it was made: the token's text must not change when the repository is transferred, since logs are masked by it. */
function frameOf(
  { config, serverVersion }: Deps,
  { taskId, jobId, runId }: ClaimedJob,
  runner: RunnerIdentity,
  repository: TaskFrame['repository'],
  ownerId: number,
): TaskFrame {
  return {
    taskId,
    jobToken: signJobToken(config.secrets.secretKey, { taskId, jobId, runId, repositoryId: repository.id, ownerId }),
    runnerLabels: runner.labels,
    repository,
    publicUrl: config.network.publicUrl,
    defaultActionsUrl: config.workflows.defaultActionsUrl,
    serverVersion,
  };
}

async function failJob({ dataSource, clock }: Deps, job: ClaimedJob, error: unknown): Promise<void> {
  const why = isFailure(error) ? error.message : 'its stored form is damaged; the log of the dispatcher has the cause.';
  await transaction(dataSource, (tx) => endTask(tx, job.taskId, 'failure', `The job could not be prepared for a runner: ${why}`, clock.now()));
}

/** Under the name that it had when the job was claimed: a runner that asks again is told the same. */
async function readRepository(sql: Sql, taskId: number): Promise<TaskFrame['repository'] | undefined> {
  const found = await sql.query<TaskFrame['repository']>({
    name: 'task-repository',
    text: `select repository.id, split_part(task.repository_name, '/', 2) as name,
                  owner.id as "ownerId", split_part(task.repository_name, '/', 1) as "ownerName"
             from task join repository on repository.id = task.repository_id join owner on owner.id = repository.owner_id
            where task.id = $1 and task.repository_name is not null`,
    values: [taskId],
  });
  return found.rows[0];
}
