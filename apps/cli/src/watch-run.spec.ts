import { afterEach, describe, expect, it } from '@jest/globals';
import { FakeServer, inTurn, json, run } from './cli.harness';

const RUN = {
  id: 7,
  run_number: 3,
  display_title: 'Fix the roof',
  workflow_name: 'CI',
  repository: { full_name: 'acme/app' },
  started_at: '2026-01-02T03:01:00.000Z',
};
const GOING = { ...RUN, status: 'in_progress', state: 'running' };
const ended = (state: string) => ({ ...RUN, status: 'completed', state, completed_at: '2026-01-02T03:02:00.000Z' });

const job = (id: number, name: string, state: string, facts: object = {}) => ({
  id,
  name,
  state,
  url: `https://ci/api/v1/repos/acme/app/actions/jobs/${id}`,
  waiting: null,
  reason: null,
  ...facts,
});
const jobs = (...list: readonly object[]) => json({ total_count: list.length, jobs: list });
const ROWS = ['one', 'two \u001b[31mred'].map((content, index) => `event: row\ndata: ${JSON.stringify({ index, time: 't', content })}\n\n`).join('');

let server: FakeServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function watch(answers: Parameters<typeof FakeServer.start>[0], options = '') {
  server = await FakeServer.start(answers);
  return run(`run watch 7${options}`, { environment: server.environment });
}

const RUN_PATH = 'GET /api/v1/admin/actions/runs/7';
const JOBS_PATH = 'GET /api/v1/repos/acme/app/actions/runs/7/jobs';
const logOf = (id: number) => `GET /api/v1/repos/acme/app/actions/jobs/${id}/logs/stream`;
const waiting = (text: string) => ({ waiting: { code: 'X', text } });

describe('watching a run', () => {
  it('tells the jobs and their logs, each job’s end behind its log', async () => {
    let endLog = () => {};
    const logEnds = new Promise<void>((resolve) => {
      endLog = resolve;
    });
    const outcome = await watch({
      [RUN_PATH]: inTurn(json(GOING), json(GOING), json(GOING), (...asked) => {
        endLog();
        json(ended('success'))(...asked);
      }),
      [JOBS_PATH]: inTurn(
        jobs(job(1, 'build', 'waiting', waiting('Goes to the next poll of r1.')), job(2, 'test', 'blocked', waiting('Waits for build (waiting).'))),
        jobs(job(1, 'build', 'running', { runner_name: 'r1' }), job(2, 'test', 'blocked', waiting('Waits for build (running).'))),
        jobs(job(1, 'build', 'success', { runner_name: 'r1' }), job(2, 'test', 'skipped', { reason: 'Not needed.' })),
      ),
      [logOf(1)]: (response) => void logEnds.then(() => response.end(`${ROWS}event: end\ndata: {}\n\n`)),
    });

    expect(outcome).toEqual({
      code: 0,
      out: [
        'acme/app #3: Fix the roof (CI, run 7)',
        '. build: waiting, Goes to the next poll of r1.',
        '. test: blocked, Waits for build (waiting).',
        '> build: running, on r1',
        '- test: skipped, Not needed.',
        '  build | one',
        '  build | two red',
        '✓ build: success, on r1',
        '✓ The run ended: success after 1m.',
        '',
      ].join('\n'),
      err: '',
    });
  });

  it.each([
    ['success', 0],
    ['skipped', 0],
    ['failure', 1],
    ['cancelled', 1],
  ])('ends, when the run ended with %s, with code %i', async (state, code) => {
    const outcome = await watch({ [RUN_PATH]: json(ended(state)), [JOBS_PATH]: jobs() });

    expect(outcome.code).toBe(code);
  });

  it('shows the log of a job that was over before anybody looked', async () => {
    const { out } = await watch({
      [RUN_PATH]: json(ended('failure')),
      [JOBS_PATH]: jobs(job(1, 'build', 'failure', { runner_name: 'r1' })),
      [logOf(1)]: (response) => void response.end(`${ROWS}event: end\ndata: {}\n\n`),
    });

    expect(out.split('\n').slice(1, 4)).toEqual(['  build | one', '  build | two red', '✗ build: failure, on r1']);
  });

  it('does not wait for ever for a log that does not end', async () => {
    const { code, out } = await watch({
      [RUN_PATH]: json(ended('success')),
      [JOBS_PATH]: jobs(job(1, 'build', 'success', { runner_name: 'r1' })),
      [logOf(1)]: (response) => void response.write(ROWS),
    });

    expect(code).toBe(0);
    expect(out).toMatch(/ {2}build \| two red\n✓ build: success, on r1\n✓ The run ended/);
  });

  it('goes on without a log that cannot be read', async () => {
    const { code, err } = await watch({
      [RUN_PATH]: json(ended('success')),
      [JOBS_PATH]: jobs(job(1, 'build', 'success', { runner_name: 'r1' })),
      [logOf(1)]: json({ message: 'The log is damaged.' }, 500),
    });

    expect([code, err]).toEqual([0, 'The log of build cannot be followed: The log is damaged.\n']);
  });

  it('bears with a server that is away for a moment', async () => {
    const { code } = await watch({
      [RUN_PATH]: inTurn(json(GOING), (response) => void response.destroy(), json(ended('success'))),
      [JOBS_PATH]: inTurn((response) => void response.destroy(), jobs()),
    });

    expect(code).toBe(0);
  });

  it('with --json tells a line for each thing that happens', async () => {
    const { out } = await watch(
      {
        [RUN_PATH]: json(ended('success')),
        [JOBS_PATH]: jobs(job(1, 'build', 'success', { runner_name: 'r1' })),
        [logOf(1)]: (response) => void response.end(`${ROWS}event: end\ndata: {}\n\n`),
      },
      ' --json',
    );

    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { row: { job_id: 1, index: 0, content: 'one' } },
      { row: { job_id: 1, index: 1, content: 'two \u001b[31mred' } },
      { job: { id: 1, state: 'success' } },
      { run: { id: 7, state: 'success' } },
    ]);
  });
});
