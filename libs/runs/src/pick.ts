import type { RunStatus } from '@triphammer/models/runs';
import { lackingLabels } from './labels';
import { isFinal } from './status';

export interface WaitingJob {
  readonly status: RunStatus;
  readonly labels: readonly string[];
  readonly needs: readonly string[];
  readonly ownerId: number;
  readonly repositoryId: number;
}

export interface CandidateRunner {
  readonly name: string;
  readonly labels: readonly string[];
  readonly ownerId: number | null;
  readonly repositoryId: number | null;
  readonly isOnline: boolean;
  /** Tasks it works on now. */
  readonly tasks: number;
}

export interface NeededJob {
  readonly key: string;
  readonly name: string;
  readonly status: RunStatus;
}

export type WaitingCode = 'NEEDS_NOT_DONE' | 'LABELS_MISSING' | 'RUNNERS_OFFLINE' | 'RUNNERS_BUSY' | 'ABOUT_TO_START';

/** Why a job has not begun: a code to branch on, and a sentence that names who or what it waits for. */
export interface WaitingReason {
  readonly code: WaitingCode;
  readonly text: string;
}

const NAMES_SHOWN = 5;

/** The first that holds: needs, labels, runners offline, runners busy. Undefined for a job that waits no longer. */
export function explainWaiting(job: WaitingJob, needed: readonly NeededJob[], runners: readonly CandidateRunner[]): WaitingReason | undefined {
  if (job.status === 'blocked') return { code: 'NEEDS_NOT_DONE', text: `Waits for ${describeNeeds(needed)}.` };
  if (job.status !== 'waiting') return undefined;
  const inScope = runners.filter((runner) => mayServe(runner, job));
  const fitting = inScope.filter((runner) => lackingLabels(runner.labels, job.labels).length === 0);
  const online = fitting.filter((runner) => runner.isOnline);
  const idle = online.filter((runner) => runner.tasks === 0);
  if (fitting.length === 0) return { code: 'LABELS_MISSING', text: describeMissing(job.labels, inScope) };
  if (online.length === 0) return { code: 'RUNNERS_OFFLINE', text: `Of the runners that fit none is online: ${names(fitting)}.` };
  if (idle.length === 0) return { code: 'RUNNERS_BUSY', text: `All runners that fit are busy: ${names(online)}.` };
  return { code: 'ABOUT_TO_START', text: `Goes to the next poll of ${names(idle)}.` };
}

function mayServe(runner: CandidateRunner, job: WaitingJob): boolean {
  if (runner.repositoryId !== null) return runner.repositoryId === job.repositoryId;
  return runner.ownerId === null || runner.ownerId === job.ownerId;
}

function describeNeeds(needed: readonly NeededJob[]): string {
  const open = needed.filter((job) => !isFinal(job.status));
  return open.length === 0 ? 'the jobs it needs to be counted' : shorten(open.map((job) => `${job.name} (${job.status})`));
}

/** Names the runner that comes nearest, because its owner most likely forgot a label. */
function describeMissing(labels: readonly string[], runners: readonly CandidateRunner[]): string {
  if (runners.length === 0) return 'No runner is registered for this repository.';
  const wanted = labels.join(', ');
  const nearest = runners.map((runner) => ({ runner, lacking: lackingLabels(runner.labels, labels) })).sort((a, b) => a.lacking.length - b.lacking.length)[0];
  if (!nearest || nearest.lacking.length === labels.length) return `No runner has the labels ${wanted}.`;
  return `No runner has all of the labels ${wanted}; ${nearest.runner.name} lacks ${nearest.lacking.join(', ')}.`;
}

function names(runners: readonly CandidateRunner[]): string {
  return shorten(runners.map((runner) => runner.name));
}

function shorten(texts: readonly string[]): string {
  const more = texts.length - NAMES_SHOWN;
  return more > 0 ? `${texts.slice(0, NAMES_SHOWN).join(', ')} and ${more} more` : texts.join(', ');
}
