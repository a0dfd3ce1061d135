import { z } from 'zod';
import type { ApiRoute } from './api-route';
import { API_PREFIX } from './mount-api';

type AnyRoute = Pick<ApiRoute<never>, 'method' | 'path' | 'summary' | 'query' | 'body' | 'response' | 'contentType' | 'status'>;

/** The OpenAPI 3.1 description of these routes, in a stable order. */
export function openApiDocument(routes: readonly AnyRoute[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of [...routes].sort((a, b) => (a.path + a.method < b.path + b.method ? -1 : 1))) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describe(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Triphammer', version },
    servers: [{ url: API_PREFIX }],
    security: [{ token: [] }],
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] } },
    },
    paths,
  };
}

function describe(route: AnyRoute): Record<string, unknown> {
  const parameters = [
    ...[...route.path.matchAll(/\{(\w+)\}/g)].map((match) => ({ name: match[1], in: 'path', required: true, schema: { type: 'string' } })),
    ...queryParameters(route.query),
  ];
  const error = { description: 'Refused', content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } };
  return {
    summary: route.summary,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body ? { requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(route.body, 'input') } } } } : {}),
    responses: { [String(route.status ?? 200)]: success(route), '4XX': error },
  };
}

function success(route: AnyRoute): Record<string, unknown> {
  if (route.response) return { description: 'Done', content: { 'application/json': { schema: jsonSchema(route.response, 'output') } } };
  if (route.contentType) return { description: 'Done', content: { [route.contentType]: { schema: { type: 'string' } } } };
  return { description: 'Done' };
}

function queryParameters(query: z.ZodType | undefined): readonly Record<string, unknown>[] {
  if (!query) return [];
  const schema = jsonSchema(query, 'input') as { properties?: Record<string, unknown>; required?: string[] };
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: schema.required?.includes(name) ?? false,
    schema: property,
  }));
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
