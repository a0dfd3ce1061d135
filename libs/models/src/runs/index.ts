import { Attempt } from './attempt.entity';
import { JobPayload } from './job-payload.entity';
import { Job } from './job.entity';
import { LabelSet } from './label-set.entity';
import { RegistrationToken } from './registration-token.entity';
import { RepositoryCounter } from './repository-counter.entity';
import { Run } from './run.entity';
import { Runner } from './runner.entity';
import { TaskOutput } from './task-output.entity';
import { TaskStep } from './task-step.entity';
import { Task } from './task.entity';

export { Attempt, Job, JobPayload, LabelSet, RegistrationToken, RepositoryCounter, Run, Runner, Task, TaskOutput, TaskStep };
export type { RunStatus } from './status';
export type { StepStatus } from './task-step.entity';
export type { TaskStatus } from './task.entity';
export const RUN_ENTITIES = [Run, Attempt, Job, JobPayload, Task, TaskStep, TaskOutput, Runner, RegistrationToken, LabelSet, RepositoryCounter] as const;
