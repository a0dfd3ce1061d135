import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../harness/free-port';
import { type Installation, newSecret, SHORT_LIMITS } from '../harness/installation';
import { ManagedProcess, type ProcessSpec } from '../harness/managed-process';
import { tool, unprivileged } from '../harness/tools';
import { answersOk } from '../harness/until';

/** Each service its own process; two of those that a fleet is scaled by. */
const SERVICES = [
  'event-ingest',
  'workflow-detector',
  'task-dispatcher',
  'task-dispatcher-2',
  'log-archiver',
  'log-archiver-2',
  'status-reporter',
  'console',
] as const;
type ServiceName = (typeof SERVICES)[number];

const UPSTREAMS = {
  event_ingest: ['event-ingest'],
  task_dispatcher: ['task-dispatcher', 'task-dispatcher-2'],
  log_archiver: ['log-archiver', 'log-archiver-2'],
  console: ['console'],
} as const satisfies Record<string, readonly ServiceName[]>;

type Ports = Readonly<Record<ServiceName | 'postgres' | 'nats' | 'redis' | 's3' | 'gateway', number>>;

/** Every service on its own, behind nginx, on Postgres, NATS JetStream, Redis and S3. */
export async function startScaled(): Promise<Installation> {
  const workFolder = mkdtempSync(join(tmpdir(), 'triphammer-e2e-'));
  chmodSync(workFolder, 0o755);
  const ports = await pickPorts();
  const tokens = { admin: newSecret(), registration: newSecret(), key: newSecret() };
  const url = `http://127.0.0.1:${ports.gateway}`;
  const environment = {
    DATABASE: `postgres://postgres@127.0.0.1:${ports.postgres}/postgres`,
    BUS: 'nats',
    NATS_URL: `nats://127.0.0.1:${ports.nats}`,
    CACHE: 'redis',
    REDIS_URL: `redis://127.0.0.1:${ports.redis}`,
    BLOBS: 's3',
    S3_ENDPOINT: `http://127.0.0.1:${ports.s3}`,
    S3_ACCESS_KEY: 'e2e-access',
    S3_SECRET_KEY: 'e2e-secret',
    PUBLIC_URL: url,
    SECRET_KEY: tokens.key,
    ADMIN_TOKEN: tokens.admin,
    REGISTRATION_TOKEN: tokens.registration,
    ...SHORT_LIMITS,
  };
  const servers = serverSpecs(workFolder, ports).map((spec) => new ManagedProcess(spec));
  await Promise.all(servers.map((server) => server.start()));
  execFileSync(process.execPath, ['apps/triphammer/dist/main.js', 'migrate'], { env: { ...process.env, ...environment }, stdio: 'pipe' });
  const services = SERVICES.map((name) => new ManagedProcess(serviceSpec(name, workFolder, ports[name], environment)));
  await Promise.all(services.map((service) => service.start()));
  const gateway = new ManagedProcess(gatewaySpec(workFolder, ports));
  await gateway.start();
  const processes = [...servers, ...services, gateway];
  return {
    topology: 'scaled',
    url,
    adminToken: tokens.admin,
    registrationToken: tokens.registration,
    workFolder,
    processes: new Map(processes.map((process) => [process.spec.name, process])),
    stop: async () => {
      await gateway.stop();
      await Promise.all(services.map((service) => service.stop()));
      await Promise.all(servers.map((server) => server.kill()));
      await rm(workFolder, { recursive: true, force: true });
    },
  };
}

async function pickPorts(): Promise<Ports> {
  const names = [...SERVICES, 'postgres', 'nats', 'redis', 's3', 'gateway'] as const;
  const taken = new Set<number>();
  while (taken.size < names.length) taken.add(await freePort());
  const free = [...taken];
  return Object.fromEntries(names.map((name, index) => [name, free[index]])) as Ports;
}

function serviceSpec(name: ServiceName, workFolder: string, port: number, environment: Record<string, string>): ProcessSpec {
  const app = name.replace(/-\d$/, '');
  return {
    name,
    command: process.execPath,
    args: [`apps/${app}/dist/main.js`],
    env: { ...environment, PORT: String(port), DATA_DIR: join(workFolder, name) },
    logFile: join(workFolder, `${name}.log`),
    isReady: () => answersOk(`http://127.0.0.1:${port}/readyz`),
  };
}

/** The servers beneath, each restartable on its data. Postgres keeps fsync, because it is killed and must have everything it confirmed. */
function serverSpecs(workFolder: string, ports: Ports): readonly ProcessSpec[] {
  const folder = (name: string) => {
    const path = join(workFolder, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const log = (name: string) => join(workFolder, `${name}.log`);
  const postgres = folder('postgres');
  const account = unprivileged('postgres');
  if (account) chownSync(postgres, account.uid, account.gid);
  const data = join(postgres, 'data');
  const initdb = ['--pgdata', data, '--username=postgres', '--auth=trust', '--locale=C', '--encoding=UTF8', '--no-sync'];
  execFileSync(join(tool('POSTGRES_BIN'), 'initdb'), initdb, { ...account, cwd: postgres, env: { LC_ALL: 'C' }, stdio: 'pipe' });
  return [
    {
      name: 'postgres',
      command: join(tool('POSTGRES_BIN'), 'postgres'),
      args: ['-D', data, '-p', String(ports.postgres), '-k', postgres, '-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=300'],
      account,
      logFile: log('postgres'),
      isReady: () => accepts(ports.postgres),
    },
    {
      name: 'nats',
      command: tool('NATS_SERVER'),
      args: ['--addr', '127.0.0.1', '--port', String(ports.nats), '--jetstream', '--store_dir', folder('nats')],
      logFile: log('nats'),
      isReady: () => accepts(ports.nats),
    },
    {
      name: 'redis',
      command: 'redis-server',
      args: ['--bind', '127.0.0.1', '--port', String(ports.redis), '--dir', folder('redis'), '--save', '', '--appendonly', 'no'],
      logFile: log('redis'),
      isReady: () => accepts(ports.redis),
    },
    {
      name: 's3',
      command: tool('VERSITYGW'),
      args: [
        '--port',
        `127.0.0.1:${ports.s3}`,
        '--keep-alive',
        '--health',
        '/health',
        '--quiet',
        'posix',
        '--sidecar',
        folder('s3/metadata'),
        folder('s3/objects'),
      ],
      env: { ROOT_ACCESS_KEY: 'e2e-access', ROOT_SECRET_KEY: 'e2e-secret' },
      logFile: log('s3'),
      isReady: () => answersOk(`http://127.0.0.1:${ports.s3}/health`),
    },
  ];
}

/** The shipped gateway: all of its settings and locations, with upstreams of this topology's own. */
function gatewaySpec(workFolder: string, ports: Ports): ProcessSpec {
  const shipped = resolve('deploy/gateway');
  const upstreams = Object.entries(UPSTREAMS).map(
    ([upstream, names]) => `upstream ${upstream} { ${names.map((name) => `server 127.0.0.1:${ports[name]};`).join(' ')} keepalive 64; }`,
  );
  const config = join(workFolder, 'nginx.conf');
  writeFileSync(
    config,
    [
      ...(process.getuid?.() === 0 ? ['user root;'] : []),
      'daemon off;',
      `pid ${join(workFolder, 'nginx.pid')};`,
      'error_log stderr warn;',
      'events { worker_connections 4096; }',
      'http {',
      `  include ${join(shipped, 'settings.conf')};`,
      ...upstreams.map((line) => `  ${line}`),
      '  access_log off;',
      `  server { listen 127.0.0.1:${ports.gateway}; include ${join(shipped, 'locations.conf')}; include ${join(shipped, 'api-locations.conf')}; }`,
      '}',
      '',
    ].join('\n'),
  );
  return {
    name: 'gateway',
    command: 'nginx',
    args: ['-c', config, '-p', workFolder],
    env: { PATH: `${process.env['PATH']}:/usr/sbin` },
    logFile: join(workFolder, 'gateway.log'),
    isReady: () => answersOk(`http://127.0.0.1:${ports.gateway}/livez`),
  };
}

function accepts(port: number): Promise<true | undefined> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(undefined));
  });
}
