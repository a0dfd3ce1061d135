import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { createTestDatabase, startTestService, type TestDatabase, type TestService, TEST_SECRETS } from '@triphammer/testing';
import { CONSOLE_API } from './console-api';
import { ConsoleModule } from './console.module';

@Module({})
class InnerModule {}

@Module({ imports: [InnerModule] })
class LogArchiverModule {}

let database: TestDatabase;
let service: TestService;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startTestService({ features: [LogArchiverModule, ConsoleModule], database, settings: { PUBLIC_URL: 'https://ci.example.com' } });
});

afterAll(async () => {
  await service.stop();
  await database.drop();
});

const get = (path: string, init: RequestInit = {}) => fetch(service.url + path, init);
const asAdmin = { headers: { authorization: `Bearer ${TEST_SECRETS.ADMIN_TOKEN}` } };

describe('the page at the address', () => {
  it('says which features the process carries, and no secret', async () => {
    const page = await (await get('/')).text();

    expect([...page.matchAll(/<strong>(.*?)<\/strong>/g)].map((match) => match[1])).toEqual(['Log archiver', 'Console']);
    expect(page).toContain('<code>https://ci.example.com</code>');
    for (const secret of Object.values(TEST_SECRETS)) expect(page).not.toContain(secret);
  });

  it('has a policy that lets in its own style and nothing else', async () => {
    const answer = await get('/');
    const style = /<style>(.*?)<\/style>/s.exec(await answer.text())?.[1] ?? '';

    const digest = createHash('sha256').update(style).digest('base64');
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('can be asked for by HEAD', async () => {
    const answer = await get('/', { method: 'HEAD' });

    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([200, 'text/html; charset=utf-8', '']);
  });
});

describe('a path that nobody serves', () => {
  it.each([
    ['GET', '/nothing'],
    ['GET', '/acme/app/info/refs?service=git-upload-pack'],
    ['GET', '/v2/'],
    ['GET', '/api/v1/nothing'],
    ['GET', '/favicon.ico'],
    ['POST', '/'],
    ['POST', '/webhooks/1'],
    ['PUT', '/api/packages/acme/generic/x/1/y'],
    ['DELETE', '/api/v1/version'],
    ['OPTIONS', '/nothing'],
  ])('is answered in plain text: %s %s', async (method, path) => {
    const body = method === 'POST' || method === 'PUT' ? { body: new Uint8Array([1, 2]), headers: { 'content-type': 'application/x-strange' } } : {};

    const answer = await get(path, { method, ...body });

    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([404, 'text/plain; charset=utf-8', 'not part of this version\n']);
  });

  it('is answered so to HEAD, without the text', async () => {
    const answer = await get('/nothing', { method: 'HEAD' });

    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([404, 'text/plain; charset=utf-8', '']);
  });

  it('does not stand before what others serve', async () => {
    expect((await get('/livez')).status).toBe(200);
  });
});

describe("the console's part of the API", () => {
  it.each(CONSOLE_API.map((route) => route.path))('%s demands the token', async (path) => {
    expect((await get(`/api/v1${path}`)).status).toBe(401);
  });

  it('tells the version, and describes all of the API', async () => {
    const version = await (await get('/api/v1/version', asAdmin)).json();
    const description = await (await get('/api/v1/openapi.json', asAdmin)).json();

    const openApi = JSON.parse(readFileSync(join(__dirname, '../../../../docs/openapi.json'), 'utf8'));
    expect(version).toEqual({ version: openApi.info.version });
    expect(description).toEqual(openApi);
  });
});
