import type { Runner } from './api-answers';
import { type Call, type CliCommand, idOf, repositoryPath } from './command';
import { CommandError } from './command-error';
import { renderTable } from './table';
import { ageText } from './time-text';

const SCOPE_OPTIONS = [
  { flags: '--owner <name>', summary: "for one owner's jobs" },
  { flags: '--repo <owner/name>', summary: "for one repository's jobs" },
];

export const RUNNER_COMMANDS: readonly CliCommand[] = [
  {
    group: 'runner',
    usage: 'list',
    summary: 'list the runners',
    options: [...SCOPE_OPTIONS, { flags: '--page <number>', summary: 'which page of 50' }],
    work: listRunners,
  },
  { group: 'runner', usage: 'remove <runner>', summary: 'remove a runner: it gets no further job', work: removeRunner },
  {
    group: 'registration-token',
    usage: 'create',
    summary: 'make a token with which runners register',
    options: SCOPE_OPTIONS,
    work: createToken,
  },
];

async function listRunners(call: Call): Promise<void> {
  const answer = await call.client.get<{ runners: readonly Runner[] }>(`${scopePath(call)}/actions/runners`, { limit: 50, page: call.option('page') });
  const rows = answer.runners.map((runner) => [
    String(runner.id),
    runner.name,
    `${runner.status}${runner.busy ? ', busy' : ''}`,
    runner.labels.map((label) => label.name).join(' '),
    runner.repository ?? runner.owner ?? '',
    runner.version,
    ageText(runner.last_seen_at, call.terminal.now()),
  ]);
  call.show(answer, renderTable(['RUNNER', 'NAME', 'STATUS', 'LABELS', 'ONLY FOR', 'VERSION', 'SEEN'], rows));
}

async function removeRunner(call: Call): Promise<void> {
  const id = idOf(call.subject, 'runner');
  await call.client.delete(`/admin/actions/runners/${id}`);
  call.show({ id, removed: true }, `Runner ${id} is removed.\n`);
}

/** Prints the token and nothing else, so that a script can take it. */
async function createToken(call: Call): Promise<void> {
  const answer = await call.client.post<{ token: string }>(`${scopePath(call)}/actions/runners/registration-token`);
  call.show(answer, `${answer.token}\n`);
}

function scopePath(call: Call): string {
  const owner = call.option('owner');
  const repository = call.option('repo');
  if (owner !== undefined && repository !== undefined) throw new CommandError('Give --owner or --repo, not both.');
  if (repository !== undefined) return repositoryPath(repository);
  return owner === undefined ? '/admin' : `/orgs/${encodeURIComponent(owner)}`;
}
