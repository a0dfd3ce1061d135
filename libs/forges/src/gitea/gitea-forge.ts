import { Failure } from '@triphammer/foundation';
import { z } from 'zod';
import { type Forge, type ForgeApi, httpRemote, type RemoteRepository, type StatusOutcome, type StatusReport } from '../forge';
import type { RepositoryFacts } from '../forge-event';
import { convertRepository } from './convert';
import { type GiteaAnswer, type GiteaClient, giteaClient } from './gitea-client';
import { GITEA_REPOSITORY } from './parse';

const VERSION = z.object({ version: z.string() });
const USER = z.object({ login: z.string() });
const STATUS = z.object({ context: z.string() });
/** Statuses that a forge refuses for good: what was posted, or where to, will not become right by waiting. */
const FINAL = new Set([400, 404, 405, 409, 410, 413, 422]);
/** Gitea says so with 500. */
const NO_SUCH_COMMIT = /object does not exist/;
const MOVED = new Set([301, 302, 307, 308, 404]);

interface GiteaAddress {
  readonly url: string;
  readonly username: string | null;
  readonly token: string | null;
}

/** Gitea and Forgejo: the same webhooks, the same API. */
export function giteaForge({ url, username, token }: GiteaAddress): Forge {
  const client = giteaClient(url, token);
  return {
    kind: 'gitea',
    gitRemote: ({ forgeFullName }) => httpRemote(`${url}/${forgeFullName}.git`, username, token),
    verify: () => verify(client),
    api: giteaApi(client),
  };
}

function giteaApi(client: GiteaClient): ForgeApi {
  return {
    readRepository: (forgeRepositoryId) => readRepository(client, forgeRepositoryId),
    postStatus: async (repository, sha, report) => {
      try {
        return await postStatus(client, repository, sha, report);
      } catch (error) {
        return refusalOf(error);
      }
    },
  };
}

async function verify(client: GiteaClient): Promise<{ readonly username: string }> {
  expectShape(VERSION, await client.send('GET', '/version'), 'version');
  return { username: expectShape(USER, await client.send('GET', '/user'), 'user that the token belongs to').login };
}

async function readRepository(client: GiteaClient, id: string): Promise<RepositoryFacts> {
  const answer = await client.send('GET', `/repositories/${encodeURIComponent(id)}`);
  if (answer.status === 404) throw new Failure('not-found', `The forge has no repository with the id ${id}, or the token may not see it.`);
  return convertRepository(expectShape(GITEA_REPOSITORY, answer, `repository ${id}`));
}

/**
 * After a rename Gitea answers 301, and a POST that follows it becomes a GET: it looks fine and the status is lost. So the
 * repository is looked up by its id, and the status is posted once more under the new name.
 */
async function postStatus(client: GiteaClient, repository: RemoteRepository, sha: string, report: StatusReport): Promise<StatusOutcome> {
  const first = await send(client, repository.forgeFullName, sha, report);
  if (!MOVED.has(first.status)) return outcomeOf(first, report, null);
  const facts = await readRepository(client, repository.forgeRepositoryId);
  if (facts.fullName === repository.forgeFullName) return outcomeOf(first, report, null);
  return outcomeOf(await send(client, facts.fullName, sha, report), report, facts);
}

async function send(client: GiteaClient, fullName: string, sha: string, report: StatusReport): Promise<GiteaAnswer> {
  const path = `/repos/${fullName.split('/').map(encodeURIComponent).join('/')}/statuses/${sha}`;
  const body = { context: report.context, state: report.state, description: report.description, target_url: report.targetUrl };
  const answer = await client.send('POST', path, body);
  // Forges from before `skipped` refuse it; the description still says so.
  const knowsNoSkipped = report.state === 'skipped' && (answer.status === 400 || answer.status === 422);
  return knowsNoSkipped ? client.send('POST', path, { ...body, state: 'success' }) : answer;
}

function outcomeOf(answer: GiteaAnswer, report: StatusReport, renamed: RepositoryFacts | null): StatusOutcome {
  const stored = STATUS.safeParse(answer.json);
  if (answer.status === 201 && stored.success && stored.data.context === report.context) return { kind: 'posted', renamed };
  const reason = describe(answer);
  return { kind: 'refused', isFinal: FINAL.has(answer.status) || NO_SUCH_COMMIT.test(reason), retryAfterMs: answer.retryAfterMs, reason };
}

function refusalOf(error: unknown): StatusOutcome {
  if (!(error instanceof Failure)) throw error;
  return { kind: 'refused', isFinal: error.code === 'not-found', retryAfterMs: null, reason: error.message };
}

function expectShape<Shape>(schema: z.ZodType<Shape>, answer: GiteaAnswer, what: string): Shape {
  const result = schema.safeParse(answer.json);
  if (answer.status === 200 && result.success) return result.data;
  throw new Failure('upstream-failed', `The forge was asked for the ${what}. ${describe(answer)}`);
}

const REMEDIES: Readonly<Record<number, string>> = {
  401: 'It does not accept the token.',
  403: 'The token lacks a right; it needs the scopes read:user and write:repository, and write access to the repository.',
  404: 'It does not know what it was asked for; is this the address of a Gitea or Forgejo, and may the token see the repository?',
};

/** What the forge said, for people: its status, and the message of its error. Never anything of the request. */
function describe({ status, json }: GiteaAnswer): string {
  const { message } = z.object({ message: z.string() }).safeParse(json).data ?? {};
  const isRedirect = status >= 300 && status < 400;
  const remedy = isRedirect ? 'It redirects; give the address that it redirects to.' : (REMEDIES[status] ?? '');
  return `It answered ${status}${message ? ` (${message.slice(0, 300)})` : ''}. ${remedy}`.trim();
}
