export type { Runner } from '@triphammer/models/runs';
export { RunnerDirectory, type RunnerIdentity } from './authenticate-runner';
export { cancelRun } from './cancel-run';
export { type ClaimedJob, type Claimer, claimJobs, type RunnerScope } from './claim-jobs';
export { abandonTask, endTask } from './end-task';
export { explainJobs } from './explain-jobs';
export { findOwnerId } from './find-owner-id';
export { findJob, findJobs, type JobRecord } from './job-queries';
export { inRunnersSpelling, labelKey, lackingLabels } from './labels';
export { type CandidateRunner, type NeededJob, type WaitingReason } from './pick';
export {
  admitRegistrationToken,
  createRegistrationToken,
  declareRunner,
  isSpent,
  type Registration,
  registerRunner,
  retireRunner,
  retireSpentRunner,
} from './register-runner';
export { type ReportAnswer, type ReportedStep, reportTask, type TaskReport } from './report-task';
export { resolveRun } from './resolve-run';
export { type NewJob, type NewRun, startRun } from './start-run';
export { findRun, findRuns, type RepositoryRecord, type RunFilter, type RunRecord } from './run-queries';
export { findRunner, findRunners, type RunnerFilter, type RunnerRecord } from './runner-queries';
export { isFinal } from './status';
export { type StepRecord } from './step-queries';
export { findOverdueTasks, findSilentTasks, findUnconfirmedTasks, noteHeard, noteSeen } from './sweeps';
export { type NeedFacts } from './needs';
export { readTaskContent, type TaskContent } from './task-content';
export { readLabelSets, readWaitingQueues, type UnconfirmedClaim } from './waiting-queues';
