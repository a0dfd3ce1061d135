import { type ApiRoute, apiRoute } from '@triphammer/api-kit';
import { z } from 'zod';

export interface ConsoleDeps {
  /** The OpenAPI document of this version, all services together. */
  readonly openApi: Readonly<Record<string, unknown>>;
  readonly version: string;
}

export const CONSOLE_API: readonly ApiRoute<ConsoleDeps>[] = [
  apiRoute(
    { method: 'GET', path: '/version', summary: 'The version that runs here', response: z.object({ version: z.string() }) },
    async ({ version }: ConsoleDeps) => ({ version }),
  ),
  apiRoute(
    { method: 'GET', path: '/openapi.json', summary: 'This description, as an OpenAPI document', response: z.record(z.string(), z.unknown()) },
    async ({ openApi }: ConsoleDeps) => openApi,
  ),
];
