import type { ForgeEvent } from './forge-event';

/** What became of one workflow file. */
export interface WorkflowVerdict {
  /** Below the workflow folder: `ci.yml`. */
  readonly path: string;
  /** Stable, for programs. */
  readonly code: string;
  readonly text: string;
  readonly [detail: string]: unknown;
}

/** What became of a delivery, and why. */
export interface TriggerTrace {
  /** Stable, for programs. */
  readonly code: string;
  readonly text: string;
  readonly workflows?: readonly WorkflowVerdict[];
  readonly [detail: string]: unknown;
}

/** The trace of an event that can start nothing, whatever the repository holds; undefined when it has to be evaluated. */
export function traceOnArrival(event: ForgeEvent): TriggerTrace | undefined {
  if (event.push?.isTest) return { code: 'test-delivery', text: 'The forge tried the webhook, and it works. Nothing was pushed, so nothing is started.' };
  if (!event.repository) return { code: 'no-repository', text: `The event "${event.event}" is about no repository, so no workflow can concern it.` };
  return undefined;
}
