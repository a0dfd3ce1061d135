export { type Diagnostic, type DiagnosticCode, type Position } from './diagnostic';
export { type Json, type JsonObject } from './json';
export { type ReadWorkflow, readWorkflow } from './read-workflow';
export { type Job, type MatrixAxis, type PushFilter, type PushTrigger, type Strategy, type Triggers, type Workflow } from './workflow';
export { type Template, type TemplatePart } from './template';
export { matchPush, type Push, type TriggerCode, type TriggerOutcome, type TriggerVerdict } from './match-push';
export { findSkipString } from './skip-string';
export { type JobPlan, type PlannedJob, planJobs } from './plan-jobs';
export { renderPayload } from './payload';
export { contextsOfCondition, evaluateCondition } from './condition';
export { type ContextSubject, githubContext, runContext } from './github-context';
export {
  type CommitState,
  type ShownStatus,
  statusContext,
  statusDescription,
  statusState,
  type StatusSubject,
  uniqueStatusContext,
} from './commit-status';
