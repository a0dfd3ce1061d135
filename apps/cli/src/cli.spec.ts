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

const NO_RUNNERS = { 'GET /api/v1/admin/actions/runners': json({ total_count: 0, runners: [] }) };

describe('the server', () => {
  it.each<[string, (url: string) => { line: string; world: Parameters<typeof run>[1] }]>([
    ['by the environment', (url) => ({ line: 'runner list', world: { environment: { TRIPHAMMER_URL: `${url}/`, TRIPHAMMER_TOKEN: TOKEN } } })],
    ['by options before the command', (url) => ({ line: `--url ${url} --token-file t runner list`, world: { files: { t: `${TOKEN}\n` } } })],
    ['by options behind the command', (url) => ({ line: `runner list --url ${url} --token-file t`, world: { files: { t: TOKEN } } })],
    ["by root's data folder", (url) => ({ line: `runner list --url ${url}`, world: { files: { '/var/lib/triphammer/admin-token': `${TOKEN}\n` } } })],
    [
      "by a person's data folder",
      (url) => ({
        line: `runner list --url ${url}`,
        world: { isRoot: false, environment: { HOME: '/home/ada' }, files: { '/home/ada/.local/share/triphammer/admin-token': TOKEN } },
      }),
    ],
    ['by DATA_DIR', (url) => ({ line: `runner list --url ${url}`, world: { environment: { DATA_DIR: '/srv/ci' }, files: { '/srv/ci/admin-token': TOKEN } } })],
  ])('and its token are found %s', async (_case, where) => {
    const { url, seen } = await serve(NO_RUNNERS);
    const { line, world } = where(url);

    const { code } = await run(line, world);

    expect([code, seen.map((each) => each.headers.authorization)]).toEqual([0, [`Bearer ${TOKEN}`]]);
  });
});

describe('what goes wrong', () => {
  it.each<[string, string, Parameters<typeof run>[1], RegExp]>([
    ['no token', 'run list', {}, /^There is no token: TRIPHAMMER_TOKEN is not set, and \/var\/lib\/triphammer\/admin-token cannot be read\./],
    ['no token file', 'run list --token-file t', {}, /^The token file cannot be read: ENOENT/],
    ['an empty token file', 'run list --token-file t', { files: { t: '\n' } }, /^t holds no token\.$/m],
    ['no address', 'run list --url ftp://x', { environment: { TRIPHAMMER_TOKEN: TOKEN } }, /^"ftp:\/\/x" is no http or https address/],
    ['nobody there', 'run list --url http://127.0.0.1:1', { environment: { TRIPHAMMER_TOKEN: TOKEN } }, /cannot be reached .* Is Triphammer running there\?/],
    ['no number', 'run show x7', { environment: { TRIPHAMMER_TOKEN: TOKEN } }, /^"x7" is no run\. Give its number\.$/m],
    ['no repository', 'run list --repo app', { environment: { TRIPHAMMER_TOKEN: TOKEN } }, /^"app" is no repository\. Write it as owner\/name\.$/m],
    ['two scopes', 'runner list --owner a --repo a/b', { environment: { TRIPHAMMER_TOKEN: TOKEN } }, /^Give --owner or --repo, not both\.$/m],
    ['an unknown command', 'run walk', {}, /unknown command 'walk'/],
    ['an unknown option', 'run list --fast', {}, /unknown option '--fast'/],
    ['a missing argument', 'run show', {}, /missing required argument 'run'/],
    ['a missing option', 'forge add --name x', {}, /required option '--kind <kind>' not specified/],
  ])('is said in one message: %s', async (_case, line, world, message) => {
    const { code, out, err } = await run(line, world);

    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/\n\s+at |f00d/);
  });

  it.each<[string, Parameters<typeof json>, string]>([
    ["the server's own words", [{ message: 'There is no run 7.' }, 404], 'There is no run 7.\n'],
    ['a refused token', [{ message: 'The token is not the admin token.' }, 401], 'The token is not the admin token.\n'],
  ])('on the server is told with %s', async (_case, answer, message) => {
    const { environment } = await serve({ 'GET /api/v1/admin/actions/runs/7': json(...answer) });

    expect(await run('run show 7', { environment })).toEqual({ code: 1, out: '', err: message });
  });

  it.each<[string, number, Record<string, string>, string, RegExp]>([
    ['a short text', 404, {}, 'not part of this version\n', /\/api\/v1\/admin\/actions\/runs\/7 answered 404: not part of this version$/],
    ["a stranger's page", 502, { 'content-type': 'text/html' }, '<h1>Bad gateway</h1>', /answered 502$/],
    ["a stranger's good page", 200, { 'content-type': 'text/html' }, '<h1>Welcome</h1>', /does not answer as Triphammer does\. Is TRIPHAMMER_URL right\?$/],
    ['another address', 301, { location: 'https://ci.example.com/' }, '', /points to https:\/\/ci\.example\.com\/\. Set TRIPHAMMER_URL to that\.$/],
  ])('is told when the server answers with %s', async (_case, status, headers, body, message) => {
    const { environment } = await serve({ 'GET /api/v1/admin/actions/runs/7': (response) => void response.writeHead(status, headers).end(body) });

    const { code, out, err } = await run('run show 7', { environment });

    expect([code, out]).toEqual([1, '']);
    expect(err.trimEnd()).toMatch(message);
  });
});

describe('help', () => {
  it('is no error', async () => {
    const { code, out, err } = await run('run --help');

    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/watch \[options\] <run> +follow the jobs and logs of a run to its end/);
  });
});
