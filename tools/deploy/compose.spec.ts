import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SETTINGS } from '@triphammer/config';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { UPSTREAMS } from './gateway-config';

const ROOT = join(__dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
/** The one process of everything, and what is no service. */
const NOT_AT_SCALE = ['triphammer', 'cli'];

interface Service {
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[] };
}

const { services } = load(read('docker-compose.yml'), { schema: YAML11_SCHEMA }) as { services: Readonly<Record<string, Service>> };

describe('docker-compose.yml', () => {
  it('runs every app that is a service', () => {
    const apps = readdirSync(join(ROOT, 'apps')).filter((app) => existsSync(join(ROOT, 'apps', app, 'src/main.ts')) && !NOT_AT_SCALE.includes(app));

    const run = Object.values(services).flatMap(({ command = [] }) => command.slice(0, 1));

    expect(run).toEqual(expect.arrayContaining(apps));
  });

  it('has two task-dispatchers', () => {
    expect(Object.values(services).filter(({ command = [] }) => command[0] === 'task-dispatcher')).toHaveLength(2);
  });

  it('asks every lasting service for its health', () => {
    const unasked = Object.entries(services).filter(([, { healthcheck }]) => healthcheck?.test === undefined);

    expect(unasked.map(([name]) => name)).toEqual(['migrate']);
  });

  it('sets no setting that there is not', () => {
    const names = Object.keys(services['event-ingest']?.environment ?? {});

    expect(Object.keys(SETTINGS)).toEqual(expect.arrayContaining(names));
    expect(names.length).toBeGreaterThan(0);
  });

  it('mounts files that exist', () => {
    const files = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.flatMap((volume) => (volume.startsWith('./') ? [volume.split(':')[0] ?? ''] : [])),
    );

    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(files.length).toBeGreaterThan(0);
  });
});

describe("the gateway's upstreams at docker compose", () => {
  const text = read('deploy/gateway/upstreams.compose.conf');

  it('are those that the locations name', () => {
    const named = `${read('deploy/gateway/locations.conf')}${read('deploy/gateway/api-locations.conf')}`.matchAll(/proxy_pass http:\/\/(\w+)\$request_uri;/g);

    expect([...text.matchAll(/^upstream (\w+)/gm)].map((match) => match[1])).toEqual([...UPSTREAMS]);
    expect(new Set([...named].map((match) => match[1]))).toEqual(new Set(UPSTREAMS));
  });

  it('lead to services of docker compose', () => {
    const hosts = [...text.matchAll(/^ +server ([\w-]+):3000 /gm)].map((match) => match[1]);

    expect(Object.keys(services)).toEqual(expect.arrayContaining(hosts));
    expect(hosts).toEqual(expect.arrayContaining(['task-dispatcher-1', 'task-dispatcher-2']));
  });
});
