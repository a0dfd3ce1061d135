import { type ApiRoute, apiRoute, page, PAGE_QUERY } from '@triphammer/api-kit';
import { Failure } from '@triphammer/foundation';
import {
  addConnection,
  checkConnection,
  type ForgeConnection,
  listConnections,
  openForge,
  readConnection,
  removeConnection,
  renderPostReceiveHook,
} from '@triphammer/forges';
import { read, transaction } from '@triphammer/models';
import { z } from 'zod';
import type { EventIngestDeps } from './event-ingest-deps';
import { nextSteps } from './next-steps';

const KIND = z.enum(['gitea', 'git']);

const NEW_FORGE = z.strictObject({
  kind: KIND,
  name: z.string(),
  url: z.string(),
  namespace: z.string().optional(),
  username: z.string().optional(),
  token: z.string().optional(),
  webhook_secret: z.string().optional(),
});

const FORGE = z.object({
  id: z.int(),
  kind: KIND,
  name: z.string(),
  url: z.string(),
  namespace: z.string().nullable(),
  username: z.string().nullable(),
  webhook_url: z.string(),
  created_at: z.iso.datetime(),
});

const ADDED_FORGE = FORGE.extend({
  webhook_secret: z.string().describe('Shown this once'),
  hook_script: z.string().optional().describe('For plain git: the post-receive hook of each repository'),
  next_steps: z.string(),
});

export const FORGE_ROUTES: readonly ApiRoute<EventIngestDeps>[] = [
  apiRoute(
    { method: 'GET', path: '/forges', summary: 'Lists the connected forges', query: PAGE_QUERY, response: z.array(FORGE) },
    async ({ dataSource, publicUrl }: EventIngestDeps, { query }) => {
      const all = await listConnections(read(dataSource));
      const shown = all.slice((query.page - 1) * query.limit, query.page * query.limit);
      return page(
        shown.map((connection) => showForge(connection, publicUrl)),
        all.length,
        query,
      );
    },
  ),
  apiRoute(
    { method: 'POST', path: '/forges', summary: 'Connects a forge, after trying its address and token', body: NEW_FORGE, response: ADDED_FORGE, status: 201 },
    (deps: EventIngestDeps, { body }) => addForge(deps, body),
  ),
  apiRoute(
    { method: 'GET', path: '/forges/{id}', summary: 'Shows a connected forge', response: FORGE },
    async ({ dataSource, publicUrl }: EventIngestDeps, { parameters }) => showForge(await readConnection(read(dataSource), idOf(parameters.id)), publicUrl),
  ),
  apiRoute(
    { method: 'DELETE', path: '/forges/{id}', summary: 'Removes a connection that has no repositories', status: 204 },
    async ({ dataSource }: EventIngestDeps, { parameters }) => {
      const id = idOf(parameters.id);
      await transaction(dataSource, (tx) => removeConnection(tx, id));
      return undefined;
    },
  ),
];

async function addForge({ dataSource, secrets, publicUrl }: EventIngestDeps, body: z.output<typeof NEW_FORGE>): Promise<z.input<typeof ADDED_FORGE>> {
  const { webhook_secret: secret, ...given } = body;
  const checked = checkConnection({ ...given, secret });
  const { username } = await openForge(checked).verify();
  const connection = await transaction(dataSource, (tx) => addConnection(tx, secrets, { ...checked, username: checked.username ?? username }));
  const forge = showForge(connection, publicUrl);
  const root = checked.url.startsWith('/') ? checked.url : null;
  return {
    ...forge,
    webhook_secret: checked.secret,
    ...(checked.kind === 'git' && { hook_script: renderPostReceiveHook({ url: forge.webhook_url, secret: checked.secret, repositoryRoot: root }) }),
    next_steps: nextSteps(checked.kind, forge.webhook_url),
  };
}

function showForge(connection: ForgeConnection, publicUrl: string): z.input<typeof FORGE> {
  const { id, kind, name, url, namespace, username, createdAt } = connection;
  return { id, kind, name, url, namespace, username, webhook_url: `${publicUrl}/webhooks/${id}`, created_at: createdAt.toISOString() };
}

function idOf(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new Failure('not-found', `There is no forge connection ${text}.`);
  return Number(text);
}
