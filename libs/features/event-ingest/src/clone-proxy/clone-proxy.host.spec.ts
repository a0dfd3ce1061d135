import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AS_CHECKOUT, counted, ENDED_TOKEN, send, startProxy, type TestProxy, TOKEN } from './clone-proxy.harness';
import { git, makeSampleRepository, type SampleRepository, scratchFolder } from './git.harness';

const CREDENTIAL = `Basic ${Buffer.from('bot:connection-secret').toString('base64')}`;

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let sample: SampleRepository;
let proxy: TestProxy;

beforeAll(async () => {
  folder = await scratchFolder();
  sample = await makeSampleRepository(join(folder.path, 'sample.git'));
  proxy = await startProxy();
});

afterAll(async () => {
  await proxy.stop();
  await folder.remove();
});

describe('the clone proxy', () => {
  beforeEach(() => {
    proxy.setRemote({ kind: 'path', path: sample.path });
  });

  it.each(['team/app', 'team/nothing'])('challenges whoever comes to %s without a credential', async (name) => {
    const reply = await send(proxy, 'GET', `/${name}/info/refs?service=git-upload-pack`, { authorization: '' });

    expect(reply).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Basic realm="Triphammer"', 'content-type': 'text/plain; charset=utf-8' } });
  });

  it.each([
    [403, 'POST', '/team/app/git-receive-pack'],
    [403, 'GET', '/team/app/info/refs?service=git-receive-pack'],
    [404, 'GET', '/team/app/info/refs?service=git-upload-archive'],
    [404, 'GET', '/team/app/info/refs?service=git-upload-pack&service=git-receive-pack'],
    [404, 'GET', '/team/app/info/refs'],
    [404, 'POST', '/team/app.git/git-upload-archive'],
    [404, 'GET', '/team/app/HEAD'],
    [404, 'GET', '/team/app.git/objects/info/packs'],
    [405, 'HEAD', '/team/app/info/refs?service=git-upload-pack'],
    [405, 'POST', '/team/app/info/refs?service=git-upload-pack'],
    [405, 'GET', '/team/app.git/git-upload-pack'],
    [400, 'POST', '/team/app.git/git-upload-pack'],
    [404, 'GET', '/../app/info/refs?service=git-upload-pack'],
    [404, 'GET', '/team/%2e%2e/info/refs?service=git-upload-pack'],
    [404, 'GET', '/team/x%2fapp/info/refs?service=git-upload-pack'],
    [404, 'GET', '/team/.git/info/refs?service=git-upload-pack'],
    [404, 'GET', `/team/${'a'.repeat(101)}/info/refs?service=git-upload-pack`],
    [404, 'GET', '/api/app/info/refs?service=git-upload-pack'],
    [404, 'GET', '/v2/app/info/refs?service=git-upload-pack'],
    [404, 'GET', '/-/app/info/refs?service=git-upload-pack'],
  ])('answers %d in plain text to %s %s', async (status, method, path) => {
    const reply = await send(proxy, method, path, { 'content-type': 'text/x-anything' });

    expect(reply).toMatchObject({ status, headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache, no-transform' } });
    expect(reply.body.toString()).toMatch(method === 'HEAD' ? /^$/ : /^[^<{]+\n$/);
  });

  it.each(['objects/batch', 'locks/verify', 'objects/0123'])('refuses LFS at %s in its own media type', async (path) => {
    const body = Buffer.from('{"operation":"download"}');
    const reply = await send(proxy, 'POST', `/team/app.git/info/lfs/${path}`, { 'content-type': 'application/vnd.git-lfs+json' }, body);

    expect(reply).toMatchObject({ status: 501, headers: { 'content-type': 'application/vnd.git-lfs+json; charset=utf-8' } });
    expect(JSON.parse(reply.body.toString())).toEqual({ message: 'Git LFS objects are not served in this version; fetch them from the forge itself.' });
  });

  it('answers in plain text even what it cannot make sense of', async () => {
    const reply = await send(proxy, 'POST', '/team/app/git-upload-pack', { 'content-type': '/' }, Buffer.from('0000'));

    expect(reply).toMatchObject({ status: 415, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  });

  it('answers a refused body to its end on the same connection', async () => {
    const headers = { authorization: 'Bearer wrong', 'content-type': 'application/x-git-upload-pack-request' };

    const reply = await send(proxy, 'POST', '/team/app/git-upload-pack', headers, Buffer.alloc(5_000_000));

    expect(reply).toMatchObject({ status: 401, body: Buffer.from('This token is not known here.\n') });
  });

  it('leaves other paths to others', async () => {
    expect(await send(proxy, 'GET', '/api/v1/version')).toMatchObject({ status: 200, body: Buffer.from('{"version":"1"}') });
    expect(await send(proxy, 'GET', '/team/app')).toMatchObject({ status: 404, headers: { 'content-type': 'application/json; charset=utf-8' } });
  });

  it('counts how requests end', async () => {
    const before = { served: await counted('served'), forbidden: await counted('forbidden') };

    await send(proxy, 'GET', '/team/app/info/refs?service=git-upload-pack');
    await send(proxy, 'GET', '/team/app/info/refs?service=git-receive-pack');
    await send(proxy, 'POST', '/team/app/git-receive-pack');

    expect(await counted('served')).toBe(before.served + 1);
    expect(await counted('forbidden')).toBe(before.forbidden + 2);
  });

  it('writes no credential into any log', async () => {
    proxy.setRemote({ kind: 'http', url: 'http://127.0.0.1:9/app', authorization: CREDENTIAL });
    await send(proxy, 'GET', '/team/app/info/refs?service=git-upload-pack', { authorization: `Bearer ${ENDED_TOKEN}` });
    await git([...AS_CHECKOUT, 'ls-remote', `${proxy.url}/team/app`]);

    const logged = proxy.logged();

    expect(logged).toContain('/team/app/info/refs');
    for (const secret of [TOKEN, ENDED_TOKEN, 'connection-secret', CREDENTIAL, Buffer.from(`x-access-token:${TOKEN}`).toString('base64')]) {
      expect(logged).not.toContain(secret);
    }
  });
});
