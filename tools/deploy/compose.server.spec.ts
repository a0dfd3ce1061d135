import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const ROOT = join(__dirname, '../..');
const run = promisify(execFile);

/** The files that go to a machine, read by the programs that read them there. */
describe('the deployment by docker compose', () => {
  let copy: string;

  beforeEach(async () => {
    copy = mkdtempSync(join(tmpdir(), 'deploy-'));
    cpSync(join(ROOT, 'docker-compose.yml'), join(copy, 'docker-compose.yml'));
    cpSync(join(ROOT, 'deploy'), join(copy, 'deploy'), { recursive: true, filter: (path) => !path.endsWith('/secrets') });
    await run(join(copy, 'deploy/make-secrets.sh'));
  });
  afterEach(() => rmSync(copy, { recursive: true }));

  it('is valid to docker-compose', async () => {
    await expect(run('docker-compose', ['config', '--quiet'], { cwd: copy })).resolves.toMatchObject({ stderr: '' });
  });

  it('has secrets that nobody else may read, and that are not made a second time', async () => {
    const again = run(join(copy, 'deploy/make-secrets.sh'));

    expect(statSync(join(copy, 'deploy/secrets')).mode & 0o777).toBe(0o700);
    await expect(again).rejects.toThrow('is there already');
  });

  it('has a gateway that nginx takes as it is, but for the names of the services', async () => {
    const gateway = join(copy, 'deploy/gateway');
    const upstreams = readFileSync(join(gateway, 'upstreams.compose.conf'), 'utf8').replaceAll(/server [\w-]+:/g, 'server 127.0.0.1:');
    writeFileSync(join(gateway, 'upstreams.conf'), upstreams);
    const config = readFileSync(join(gateway, 'nginx.conf'), 'utf8').replaceAll('/etc/nginx/gateway', gateway).replaceAll('/var/log/nginx', copy);
    writeFileSync(join(gateway, 'nginx.conf'), config);

    const { stderr } = await run('/usr/sbin/nginx', ['-t', '-p', copy, '-c', join(gateway, 'nginx.conf')]);

    expect(stderr).toContain('test is successful');
  });
});
