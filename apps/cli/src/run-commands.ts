import type { Job, Run } from './api-answers';
import { type Call, type CliCommand, idOf, repositoryPath } from './command';
import { renderFacts, renderTable } from './table';
import { ageText, elapsedText } from './time-text';
import { readJobs, readRun, watchRun } from './watch-run';

export const RUN_COMMANDS: readonly CliCommand[] = [
  {
    group: 'run',
    usage: 'list',
    summary: 'list runs, the newest first',
    options: [
      { flags: '--repo <owner/name>', summary: 'of one repository' },
      { flags: '--status <status>', summary: 'queued, waiting, in_progress, completed, success, failure, cancelled or skipped' },
      { flags: '--branch <name>', summary: 'of one branch' },
      { flags: '--event <name>', summary: 'started by one event' },
      { flags: '--commit <sha>', summary: 'of one commit' },
      { flags: '--limit <number>', summary: 'how many, at most 50' },
    ],
    work: listRuns,
  },
  { group: 'run', usage: 'show <run>', summary: 'show a run with its jobs, and why they wait', work: showRun },
  { group: 'run', usage: 'cancel <run>', summary: 'cancel what is left of a run', work: cancelRun },
  {
    group: 'run',
    usage: 'watch <run>',
    summary: 'follow the jobs and logs of a run to its end; the exit code is 0 when it went well',
    work: (call) => watchRun(call, idOf(call.subject, 'run')),
  },
];

async function listRuns(call: Call): Promise<void> {
  const repository = call.option('repo');
  const answer = await call.client.get<{ workflow_runs: readonly Run[] }>(`${repository === undefined ? '/admin' : repositoryPath(repository)}/actions/runs`, {
    status: call.option('status'),
    branch: call.option('branch'),
    event: call.option('event'),
    head_sha: call.option('commit'),
    limit: call.option('limit'),
  });
  const rows = answer.workflow_runs.map((run) => [
    String(run.id),
    run.state,
    run.repository.full_name,
    run.workflow_name,
    run.display_title.slice(0, 60),
    placeOf(run),
    elapsedText(run, call.terminal.now()),
    ageText(run.created_at, call.terminal.now()),
  ]);
  call.show(answer, renderTable(['RUN', 'STATE', 'REPOSITORY', 'WORKFLOW', 'TITLE', 'REF', 'TIME', 'CREATED'], rows));
}

async function showRun(call: Call): Promise<void> {
  const run = await readRun(call, idOf(call.subject, 'run'));
  const jobs = await readJobs(call, run);
  const now = call.terminal.now();
  const facts = renderFacts([
    ['Run', `${run.id} (${run.repository.full_name} #${run.run_number})`],
    ['Title', run.display_title],
    ['Workflow', `${run.workflow_name} (${run.path})`],
    ['Commit', run.head_sha],
    ['Event', `${run.event} by ${run.actor.login}`],
    ['State', run.state],
    ['Created', `${run.created_at} (${ageText(run.created_at, now)})`],
    ['Time', elapsedText(run, now)],
  ]);
  const rows = jobs.map((job) => [String(job.id), job.name, job.state, job.runner_name ?? '', elapsedText(job, now), whyOf(job)]);
  call.show({ run, jobs }, `${facts}\n${renderTable(['JOB', 'NAME', 'STATE', 'RUNNER', 'TIME', 'WHY'], rows)}`);
}

async function cancelRun(call: Call): Promise<void> {
  const id = idOf(call.subject, 'run');
  const { repository } = await readRun(call, id);
  await call.client.post(`${repositoryPath(repository.full_name)}/actions/runs/${id}/cancel`);
  const run = await readRun(call, id);
  call.show(run, `Run ${id} is ${run.state}.\n`);
}

/** The branch, or the tag of a run that has none. */
function placeOf(run: Run): string {
  return run.head_branch ?? run.path.slice(run.path.indexOf('@') + 1).replace('refs/tags/', '');
}

function whyOf(job: Job): string {
  return job.waiting?.text ?? job.reason ?? '';
}
