import type { ApiRoute } from '@triphammer/api-kit';
import { DELIVERY_ROUTES } from './delivery-routes';
import type { EventIngestDeps } from './event-ingest-deps';
import { FORGE_ROUTES } from './forge-routes';

/** Forges and their deliveries below `/api/v1`. */
export const EVENT_INGEST_API: readonly ApiRoute<EventIngestDeps>[] = [...FORGE_ROUTES, ...DELIVERY_ROUTES];
