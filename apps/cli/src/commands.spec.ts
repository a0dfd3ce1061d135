import { afterEach, describe, expect, it } from '@jest/globals';
import { FakeServer, json, run, TOKEN } from './cli.harness';

let server: FakeServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function serve(answers: Parameters<typeof FakeServer.start>[0]): Promise<FakeServer> {
  server = await FakeServer.start(answers);
  return server;
}

const RUN = {
  id: 7,
  run_number: 3,
  display_title: 'Fix the \u001b[31mroof',
  path: 'ci.yml@refs/tags/v1',
  event: 'push',
  head_sha: 'a'.repeat(40),
  status: 'in_progress',
  state: 'running',
  workflow_name: 'CI',
  repository: { full_name: 'acme/app' },
  actor: { login: 'ada' },
  created_at: '2026-01-02T03:00:00.000Z',
  started_at: '2026-01-02T03:01:00.000Z',
};
const JOB = {
  id: 70,
  url: 'https://ci/hammer/api/v1/repos/acme/app/actions/jobs/70',
  run_id: 7,
  name: 'build',
  state: 'running',
  runner_name: 'r1',
  waiting: null,
  reason: null,
};

describe('run list', () => {
  it('shows the runs of all repositories as a table', async () => {
    const { environment, seen } = await serve({ 'GET /api/v1/admin/actions/runs': json({ total_count: 1, workflow_runs: [RUN] }) });

    const { out } = await run('run list', { environment });

    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['RUN', 'STATE', 'REPOSITORY', 'WORKFLOW', 'TITLE', 'REF', 'TIME', 'CREATED'],
      ['7', 'running', 'acme/app', 'CI', 'Fix the roof', 'v1', '3m 5s', '4m ago'],
      [''],
    ]);
    expect(seen.map((each) => each.path)).toEqual(['/api/v1/admin/actions/runs']);
  });

  it('passes filters on, and with --json the whole answer', async () => {
    const answer = { total_count: 1, workflow_runs: [{ ...RUN, more: [1] }] };
    const { environment, seen } = await serve({ 'GET /api/v1/repos/acme/a%20b/actions/runs': json(answer) });

    const { out } = await run(
      ['run', 'list', '--json', '--repo', 'acme/a b', '--status', 'queued', '--branch', 'x y', '--event', 'push', '--commit', 'abc', '--limit', '5'],
      { environment },
    );

    expect(JSON.parse(out)).toEqual(answer);
    expect(seen[0]?.path.split('?')[1]).toBe('status=queued&branch=x+y&event=push&head_sha=abc&limit=5');
  });
});

describe('run show', () => {
  const WAITING = {
    ...JOB,
    id: 71,
    name: 'test',
    state: 'blocked',
    runner_name: undefined,
    waiting: { code: 'NEEDS_NOT_DONE', text: 'Waits for build (running).' },
  };
  const ANSWERS = {
    'GET /api/v1/admin/actions/runs/7': json(RUN),
    'GET /api/v1/repos/acme/app/actions/runs/7/jobs': json({ total_count: 2, jobs: [JOB, WAITING] }),
  };

  it('shows the run, its jobs, and why they wait', async () => {
    const { environment } = await serve(ANSWERS);

    const { out } = await run('run show 7', { environment });

    expect(out).toMatch(/^Run +7 \(acme\/app #3\)$/m);
    expect(out).toMatch(/^Event +push by ada$/m);
    expect(out).toMatch(/^70 +build +running +r1$/m);
    expect(out).toMatch(/^71 +test +blocked +Waits for build \(running\)\.$/m);
  });

  it('gives run and jobs to a program', async () => {
    const { environment } = await serve(ANSWERS);

    const { out } = await run('--json run show 7', { environment });

    expect(JSON.parse(out)).toMatchObject({ run: { id: 7 }, jobs: [{ id: 70 }, { id: 71 }] });
  });

  it('asks for as many pages as there are', async () => {
    const { environment, seen } = await serve({
      'GET /api/v1/admin/actions/runs/7': json(RUN),
      'GET /api/v1/repos/acme/app/actions/runs/7/jobs': (response, { path }) =>
        json({ total_count: 51, jobs: path.includes('page=1&') ? Array.from({ length: 50 }, () => JOB) : [WAITING] })(response, seen[0] as never),
    });

    const { out } = await run('run show 7', { environment });

    expect(out.match(/^7[01] /gm)).toHaveLength(51);
    expect(seen).toHaveLength(3);
  });
});

describe('run cancel', () => {
  it('cancels in the repository of the run, and says what it came to', async () => {
    const { environment, seen } = await serve({
      'GET /api/v1/admin/actions/runs/7': json({ ...RUN, state: 'cancelling' }),
      'POST /api/v1/repos/acme/app/actions/runs/7/cancel': (response) => void response.writeHead(204).end(),
    });

    const { out } = await run('run cancel 7', { environment });

    expect(out).toBe('Run 7 is cancelling.\n');
    expect(seen.map((each) => each.method)).toEqual(['GET', 'POST', 'GET']);
  });
});

describe('job logs', () => {
  it('prints the text as it is', async () => {
    const { environment } = await serve({
      'GET /api/v1/admin/actions/jobs/70': json(JOB),
      'GET /api/v1/repos/acme/app/actions/jobs/70/logs': (response) => void response.end('2026-01-02T03:04:05Z \u001b[32mgreen ü\n'),
    });

    expect(await run('job logs 70', { environment })).toEqual({ code: 0, out: '2026-01-02T03:04:05Z \u001b[32mgreen ü\n', err: '' });
  });

  it.each([
    ['-f', '2026-01-02T03:04:05Z one\n2026-01-02T03:04:06Z two\n'],
    ['--json', '{"index":0,"time":"2026-01-02T03:04:05Z","content":"one"}\n{"index":1,"time":"2026-01-02T03:04:06Z","content":"two"}\n'],
  ])('with %s follows the stream, and takes it up again where it broke', async (option, text) => {
    const row = (index: number, content: string) =>
      `id: ${index}\nevent: row\ndata: ${JSON.stringify({ index, time: `2026-01-02T03:04:0${5 + index}Z`, content })}\n\n`;
    const { environment, seen } = await serve({
      'GET /api/v1/admin/actions/jobs/70': json(JOB),
      'GET /api/v1/repos/acme/app/actions/jobs/70/logs/stream': (response, { headers }) => {
        if (headers['last-event-id'] === undefined) response.write(`retry: 1000\n\n${row(0, 'one')}`, () => response.destroy());
        else response.end(`${row(1, 'two')}event: end\ndata: {}\n\n`);
      },
    });

    expect(await run(`job logs ${option} 70`, { environment })).toEqual({ code: 0, out: text, err: '' });
    expect(seen.map((each) => each.headers['last-event-id'])).toEqual([undefined, undefined, '0']);
  });

  it('goes on as long as each new stream brings something', async () => {
    const last = 12;
    const { environment } = await serve({
      'GET /api/v1/admin/actions/jobs/70': json(JOB),
      'GET /api/v1/repos/acme/app/actions/jobs/70/logs/stream': (response, { headers }) => {
        const index = Number(headers['last-event-id'] ?? -1) + 1;
        response.end(index > last ? 'event: end\ndata: {}\n\n' : `event: row\ndata: ${JSON.stringify({ index, time: 't', content: 'x' })}\n\n`);
      },
    });

    const { code, out } = await run('job logs -f 70', { environment });

    expect([code, out]).toEqual([0, 't x\n'.repeat(last + 1)]);
  });

  it('gives up when the stream breaks again and again', async () => {
    const { environment, seen } = await serve({
      'GET /api/v1/admin/actions/jobs/70': json(JOB),
      'GET /api/v1/repos/acme/app/actions/jobs/70/logs/stream': (response) => void response.end(': nothing new\n\n'),
    });

    const { code, err } = await run('job logs -f 70', { environment });

    expect([code, err, seen.length]).toEqual([1, 'The log broke off, and did not go on.\n', 11]);
  });
});

describe('runner list', () => {
  it.each([
    ['', '/admin/actions/runners'],
    [' --owner acme', '/orgs/acme/actions/runners'],
    [' --repo acme/app', '/repos/acme/app/actions/runners'],
  ])('%s asks for %s', async (options, path) => {
    const runner = {
      id: 1,
      name: 'r1',
      status: 'online',
      busy: true,
      labels: [{ name: 'linux' }, { name: 'gpu' }],
      version: 'v1',
      owner: null,
      repository: 'acme/app',
    };
    const { environment } = await serve({ [`GET /api/v1${path}`]: json({ total_count: 1, runners: [runner] }) });

    const { out } = await run(`runner list${options}`, { environment });

    expect(out).toBe('RUNNER  NAME  STATUS        LABELS     ONLY FOR  VERSION  SEEN\n1       r1    online, busy  linux gpu  acme/app  v1       never\n');
  });
});

describe('removing', () => {
  it.each([
    ['runner remove 3', 'DELETE /api/v1/admin/actions/runners/3', 'Runner 3 is removed.\n'],
    ['forge remove 3', 'DELETE /api/v1/forges/3', 'Forge 3 is removed.\n'],
  ])('%s', async (line, request, out) => {
    const { environment } = await serve({ [request]: (response) => void response.writeHead(204).end() });

    expect(await run(line, { environment })).toEqual({ code: 0, out, err: '' });
  });
});

describe('registration-token create', () => {
  it.each([
    ['', '/admin/actions/runners/registration-token'],
    [' --owner a.b', '/orgs/a.b/actions/runners/registration-token'],
    [' --repo acme/app', '/repos/acme/app/actions/runners/registration-token'],
  ])('%s prints the token and nothing else', async (options, path) => {
    const { environment } = await serve({ [`POST /api/v1${path}`]: json({ token: 'secret-once' }) });

    expect(await run(`registration-token create${options}`, { environment })).toEqual({ code: 0, out: 'secret-once\n', err: '' });
  });
});

describe('forge add', () => {
  const ADDED = {
    id: 1,
    name: 'home',
    url: 'https://git.example.com',
    namespace: null,
    webhook_url: 'https://ci.example.com/webhooks/1',
    webhook_secret: 'once',
    next_steps: '1. Do this.\n   And that.\n',
  };

  it.each([
    ['a file', '--token-file t', { files: { t: 'bot\n' } }],
    ['the input', '--token-file -', { input: 'bot' }],
  ])("sends the forge's address and its token, read from %s, and tells what is left to do", async (_case, option, world) => {
    const { environment, seen } = await serve({ 'POST /api/v1/forges': json(ADDED, 201) });

    const { code, out } = await run(`forge add --kind gitea --name home --url https://git.example.com ${option} --namespace team`, { environment, ...world });

    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      'Forge    1 (home)',
      'URL      https://git.example.com',
      'Webhook  https://ci.example.com/webhooks/1',
      'Secret   once',
      '',
      '1. Do this.',
      '   And that.',
      '',
    ]);
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ kind: 'gitea', name: 'home', url: 'https://git.example.com', token: 'bot', namespace: 'team' });
  });

  it('shows the hook of plain git, and finds the server by options before the command', async () => {
    const { url } = await serve({ 'POST /api/v1/forges': json({ ...ADDED, hook_script: '#!/bin/sh\ncat\n' }, 201) });

    const { out } = await run(`--url ${url} --token-file t forge add --kind git --name home --url /srv/git`, { files: { t: TOKEN } });

    expect(out.endsWith('And that.\n\nhook_script:\n\n#!/bin/sh\ncat\n')).toBe(true);
  });
});

describe('forge list', () => {
  it('shows the connected forges', async () => {
    const forge = { id: 1, name: 'home', kind: 'gitea', url: 'https://git.example.com', namespace: null };
    const { environment } = await serve({ 'GET /api/v1/forges': json([forge]) });

    const { out } = await run('forge list', { environment });

    expect(out).toBe('FORGE  NAME  KIND   URL\n1      home  gitea  https://git.example.com\n');
  });
});

describe('delivery', () => {
  const DELIVERY = {
    id: 5,
    forge: 'home',
    event: 'push',
    action: null,
    repository: 'acme/app',
    ref: 'refs/heads/main',
    sha: 'abcdef0123456789',
    status: 'evaluated',
    received_at: '2026-01-02T03:03:05.000Z',
  };

  it('list passes its filters on', async () => {
    const { environment, seen } = await serve({ 'GET /api/v1/deliveries': json([DELIVERY]) });

    const { out } = await run('delivery list --repo acme/app --forge 1 --commit abc --limit 3', { environment });

    expect(out.split('\n')[1]?.split(/ {2,}/)).toEqual(['5', 'home', 'push', 'acme/app', 'refs/heads/main', 'abcdef0123', 'evaluated', '1m ago']);
    expect(seen[0]?.path.split('?')[1]).toBe('repository=acme%2Fapp&forge=1&sha=abc&limit=3');
  });

  it('show tells the outcome for each workflow', async () => {
    const trace = {
      code: 'evaluated',
      text: 'Two workflows were looked at.',
      workflows: [
        { path: 'ci.yml', code: 'run', text: 'Started run 7.' },
        { path: 'x.yml', code: 'invalid', text: 'Invalid.', diagnostics: [{ severity: 'error', line: 3, column: 5, message: 'No jobs.' }] },
      ],
    };
    const { environment } = await serve({ 'GET /api/v1/deliveries/5': json({ ...DELIVERY, trace }) });

    const { out } = await run('delivery show 5', { environment });

    expect(out).toMatch(/^Outcome +Two workflows were looked at\. \(evaluated\)$/m);
    expect(out.slice(out.indexOf('\nWorkflows'))).toBe(
      '\nWorkflows\n  ci.yml: Started run 7. (run)\n  x.yml: Invalid. (invalid)\n    x.yml:3:5: error: No jobs.\n',
    );
  });

  it('show of one that was not evaluated yet has no outcome', async () => {
    const { environment } = await serve({ 'GET /api/v1/deliveries/5': json({ ...DELIVERY, status: 'received', trace: null }) });

    const { out } = await run('delivery show 5', { environment });

    expect(out).toMatch(/^Status +received$/m);
    expect(out).not.toMatch(/Outcome|Workflows/);
  });
});
