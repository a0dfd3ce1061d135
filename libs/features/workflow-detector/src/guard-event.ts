import type { ForgeEvent, TriggerTrace } from '@triphammer/forges';
import { findSkipString } from '@triphammer/workflows';

/** Why an event starts nothing, whatever the workflow files say; undefined when they have to be looked at. */
export function guardEvent({ event, repository, push }: ForgeEvent): TriggerTrace | undefined {
  if (!push) {
    return {
      code: 'event-not-supported-yet',
      text: `The event "${event}" is stored, but this version starts workflows for pushes only: it is not supported yet.`,
    };
  }
  if (push.isDeleted) return { code: 'ref-deleted', text: `${push.ref} was deleted, and a deletion starts no push workflow.` };
  if (repository?.isArchived) return { code: 'repository-archived', text: `${repository.fullName} is archived at its forge.` };
  const skip = push.headCommitMessage === null ? null : findSkipString(push.headCommitMessage);
  if (skip !== null) return { code: 'skip-string', text: `The commit's message holds ${skip}.`, skipString: skip };
  return undefined;
}
