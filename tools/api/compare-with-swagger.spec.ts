import { describe, expect, it } from '@jest/globals';
import { apiRoute, openApiDocument } from '@triphammer/api-kit';
import { z } from 'zod';
import { compareWithSwagger, sharedOperations } from './compare-with-swagger';

const SWAGGER = {
  swagger: '2.0',
  paths: {
    '/repos/{owner}/{repo}/runs': { get: { responses: { '200': { $ref: '#/responses/RunList' }, '404': { $ref: '#/responses/none' } } } },
    '/repos/{owner}/{repo}/runs/{run}': {
      get: { responses: { '200': { $ref: '#/responses/Run' } } },
      delete: { responses: { '204': { description: 'gone' } } },
    },
    '/tokens': { post: { responses: { '200': { description: 'in words', headers: { token: { type: 'string' } } } } } },
  },
  responses: {
    none: { description: 'nothing there' },
    RunList: { description: 'runs', schema: { $ref: '#/definitions/RunList' } },
    Run: { description: 'a run', schema: { $ref: '#/definitions/Run' } },
  },
  definitions: {
    RunList: {
      type: 'object',
      properties: { runs: { type: 'array', items: { $ref: '#/definitions/Run' } }, total_count: { type: 'integer', format: 'int64' } },
    },
    Run: {
      type: 'object',
      properties: {
        id: { type: 'integer', format: 'int64' },
        size: { type: 'number' },
        name: { type: 'string' },
        done_at: { type: 'string', format: 'date-time' },
        owner: { $ref: '#/definitions/User' },
        labels: { type: 'array', items: { type: 'string' } },
        extra: { type: 'object' },
        anything: {},
      },
    },
    User: { type: 'object', properties: { login: { type: 'string' } } },
  },
};

const RUN = '/repos/{owner}/{repo}/runs/{id}';

/** What a route with this answer has to be told. */
function differences(response: z.ZodType, { path = RUN as string, status = 200 } = {}): readonly string[] {
  const route = apiRoute({ method: 'GET', path, summary: '', response, status }, async () => undefined as never);
  return compareWithSwagger(openApiDocument([route], '1'), SWAGGER);
}

describe('an answer', () => {
  it('that is as Gitea has it, with less and with more, has no differences', () => {
    const run = z.object({
      id: z.int(),
      size: z.int(),
      name: z.enum(['a', 'b']),
      done_at: z.iso.datetime().optional(),
      owner: z.object({ login: z.string(), nick: z.number().nullable() }),
      labels: z.array(z.literal('x')),
      extra: z.record(z.string(), z.number()),
      anything: z.union([z.string(), z.null()]),
      ours: z.string().nullable(),
    });

    expect(differences(run)).toEqual([]);
    expect(differences(z.object({ total_count: z.int(), runs: z.array(run), more: z.boolean() }), { path: '/repos/{a}/{b}/runs' })).toEqual([]);
  });

  it.each<[string, z.ZodType, string]>([
    ['of another type', z.object({ id: z.string() }), '"id" may be string; Gitea has integer'],
    ['of a wider type', z.object({ id: z.number() }), '"id" may be number; Gitea has integer'],
    ['that may be null', z.object({ name: z.string().nullable() }), '"name" may be null; Gitea has string'],
    ['that is sometimes of another type', z.object({ name: z.union([z.string(), z.boolean()]) }), '"name" may be boolean; Gitea has string'],
    ['that is no time', z.object({ done_at: z.string() }), '"done_at" is no time; Gitea has one'],
    ['of another type further in', z.object({ owner: z.object({ login: z.int() }) }), '"owner.login" may be integer; Gitea has string'],
    ['whose items are of another type', z.object({ labels: z.array(z.int()) }), '"labels[]" may be integer; Gitea has string'],
    ['that is no list', z.object({ labels: z.string() }), '"labels" may be string; Gitea has array'],
  ])('with a field %s is different', (_case, response, difference) => {
    expect(differences(response)).toEqual([`GET ${RUN}: ${difference}`]);
  });

  it.each<[string, z.ZodType, readonly string[]]>([
    ['unwrapped', z.array(z.object({})), ['total_count', 'runs']],
    ['without the count', z.object({ runs: z.array(z.object({})) }), ['total_count']],
    ['sometimes', z.object({ runs: z.array(z.object({})).optional(), total_count: z.int() }), ['runs']],
    ['under another name', z.object({ entries: z.array(z.object({})), total_count: z.int() }), ['runs']],
  ])('that has its list %s is different', (_case, response, missing) => {
    const found = differences(response, { path: '/repos/{owner}/{repo}/runs' });

    for (const field of missing) expect(found).toContainEqual(expect.stringContaining(`does not always have "${field}"`));
  });

  it('with another status of success is different', () => {
    expect(differences(z.object({}), { status: 201 })).toEqual([`GET ${RUN}: answers 201, which Gitea does not`]);
  });

  it('without JSON, where Gitea has some, is different', () => {
    const route = apiRoute({ method: 'GET', path: RUN, summary: '', contentType: 'text/plain' }, async () => undefined);

    expect(compareWithSwagger(openApiDocument([route], '1'), SWAGGER)).toEqual([`GET ${RUN}: answers without the JSON that Gitea has`]);
  });

  it('that Gitea describes in words alone is not compared', () => {
    const route = apiRoute({ method: 'POST', path: '/tokens', summary: '', response: z.object({ token: z.string() }) }, async () => ({ token: '' }));

    expect(compareWithSwagger(openApiDocument([route], '1'), SWAGGER)).toEqual([]);
  });
});

describe('operations', () => {
  it('that only one side has are not compared, and not counted', () => {
    const routes = [
      apiRoute({ method: 'GET', path: RUN, summary: '', response: z.object({}) }, async () => ({})),
      apiRoute({ method: 'DELETE', path: RUN, summary: '', status: 204 }, async () => undefined),
      apiRoute({ method: 'POST', path: RUN, summary: '', status: 418 }, async () => undefined),
      apiRoute({ method: 'GET', path: '/ours', summary: '', response: z.string() }, async () => ''),
    ];
    const openApi = openApiDocument(routes, '1');

    expect([sharedOperations(openApi, SWAGGER), compareWithSwagger(openApi, SWAGGER)]).toEqual([2, []]);
  });
});

describe('a document', () => {
  it('that points at what it does not have is refused', () => {
    const swagger = { paths: { '/x': { get: { responses: { '200': { $ref: '#/responses/gone' } } } } } };
    const route = apiRoute({ method: 'GET', path: '/x', summary: '', response: z.string() }, async () => '');

    expect(() => compareWithSwagger(openApiDocument([route], '1'), swagger)).toThrow('#/responses/gone is not in the document');
  });
});
