import { type ApiRoute, apiRoute, page, PAGE_QUERY } from '@triphammer/api-kit';
import { Failure } from '@triphammer/foundation';
import { type DeliveryRecord, findRepository, listDeliveries, readDelivery } from '@triphammer/forges';
import { poolOf } from '@triphammer/models';
import { z } from 'zod';
import type { EventIngestDeps } from './event-ingest-deps';

const DELIVERY = z.object({
  id: z.int(),
  forge_id: z.int(),
  forge: z.string(),
  event: z.string(),
  action: z.string().nullable(),
  repository: z.string().nullable().describe('owner/name'),
  ref: z.string().nullable(),
  sha: z.string().nullable(),
  status: z.enum(['received', 'evaluated', 'refused', 'duplicate']),
  duplicate_of: z.int().nullable(),
  received_at: z.iso.datetime(),
  evaluated_at: z.iso.datetime().nullable(),
});

const VERDICT = z.looseObject({ path: z.string(), code: z.string(), text: z.string() });
const TRACE = z.looseObject({ code: z.string(), text: z.string(), workflows: z.array(VERDICT).optional() });
const TRACED_DELIVERY = DELIVERY.extend({ trace: TRACE.nullable().describe('Null until it was evaluated') });

const QUERY = PAGE_QUERY.extend({
  forge: z.coerce.number().int().positive().optional(),
  repository: z.string().optional().describe('owner/name'),
  sha: z.string().optional(),
});

export const DELIVERY_ROUTES: readonly ApiRoute<EventIngestDeps>[] = [
  apiRoute(
    { method: 'GET', path: '/deliveries', summary: 'Lists the webhooks that came, the newest first', query: QUERY, response: z.array(DELIVERY) },
    async ({ dataSource }: EventIngestDeps, { query }) => {
      const sql = poolOf(dataSource);
      const repositoryId = query.repository === undefined ? undefined : await repositoryIdOf(dataSource, query.repository);
      const { deliveries, total } = await listDeliveries(sql, { connectionId: query.forge, repositoryId, sha: query.sha }, query);
      return page(deliveries.map(showDelivery), total, query);
    },
  ),
  apiRoute(
    { method: 'GET', path: '/deliveries/{id}', summary: 'Shows a webhook and what became of it, with the reason for each workflow', response: TRACED_DELIVERY },
    async ({ dataSource }: EventIngestDeps, { parameters }) => {
      if (!/^[1-9]\d{0,14}$/.test(parameters.id)) throw new Failure('not-found', `There is no delivery ${parameters.id}.`);
      const delivery = await readDelivery(poolOf(dataSource), Number(parameters.id));
      return { ...showDelivery(delivery), trace: delivery.trace as z.input<typeof TRACE> | null };
    },
  ),
];

async function repositoryIdOf(dataSource: EventIngestDeps['dataSource'], fullName: string): Promise<number> {
  const [owner, name] = fullName.split('/', 2);
  const found = owner && name ? await findRepository(poolOf(dataSource), owner, name) : undefined;
  if (!found)
    throw new Failure('not-found', `There is no repository ${fullName}. A repository becomes known with its first webhook; its name is written owner/name.`);
  return found.id;
}

function showDelivery(delivery: DeliveryRecord): z.input<typeof DELIVERY> {
  return {
    id: delivery.id,
    forge_id: delivery.connectionId,
    forge: delivery.connectionName,
    event: delivery.event,
    action: delivery.action,
    repository: delivery.repositoryName,
    ref: delivery.ref,
    sha: delivery.sha,
    status: delivery.status,
    duplicate_of: delivery.duplicateOf,
    received_at: delivery.receivedAt.toISOString(),
    evaluated_at: delivery.evaluatedAt?.toISOString() ?? null,
  };
}
