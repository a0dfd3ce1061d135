import { Failure } from '@triphammer/foundation';
import { type JobTokenClaims, signJobToken } from '@triphammer/identity';
import { secretForms } from '@triphammer/logs';
import type { Sql } from '@triphammer/models';

export interface KnownTask {
  readonly id: number;
  readonly runnerId: number;
  /** What its log must not show, see `secretForms`. */
  readonly secrets: readonly string[];
}

const MAX_TASKS = 20_000;

/** The tasks that log to this process. What is kept of a task never changes. */
export class KnownTasks {
  private readonly tasks = new Map<number, KnownTask>();

  constructor(
    private readonly sql: Sql,
    private readonly secretKey: string,
  ) {}

  /** Throws `not-found` for a task of another runner too: neither tells whether it exists. */
  async ofRunner(taskId: bigint, runnerId: number): Promise<KnownTask> {
    const id = Number(taskId);
    const task = this.tasks.get(id) ?? (await this.read(id));
    if (task?.runnerId !== runnerId) throw new Failure('not-found', `This runner has no task ${taskId}.`);
    return task;
  }

  private async read(id: number): Promise<KnownTask | undefined> {
    if (!Number.isSafeInteger(id)) return undefined;
    const found = await this.sql.query<JobTokenClaims & { runnerId: number }>({
      name: 'log-task',
      text: `select task.id as "taskId", task.job_id as "jobId", task.run_id as "runId", task.repository_id as "repositoryId",
                    job.owner_id as "ownerId", task.runner_id as "runnerId"
               from task join job on job.id = task.job_id where task.id = $1`,
      values: [id],
    });
    const [row] = found.rows;
    if (!row) return undefined;
    if (this.tasks.size >= MAX_TASKS) this.tasks.clear();
    const task = { id, runnerId: row.runnerId, secrets: secretForms([signJobToken(this.secretKey, row)]) };
    this.tasks.set(id, task);
    return task;
  }
}
