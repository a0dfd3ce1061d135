import { parseByteSize, parseDuration } from '@triphammer/foundation';
import { z } from 'zod';

export interface Setting<Value> {
  readonly group: 'Adapters' | 'Network' | 'Secrets' | 'Forges and workflows' | 'Runners and jobs' | 'Logs' | 'Operation';
  /** What it does, for the generated page. */
  readonly text: string;
  /** As it would be written in the environment; absent: no default, the setting may be left out. */
  readonly fallback?: string;
  /** Reads the text; its message is shown behind the setting's name. */
  readonly schema: z.ZodType<Value, string>;
  /** Also taken from the file that `NAME_FILE` names. */
  readonly isSecret?: true;
}

const duration = z.string().transform((text, context) => attempt(() => parseDuration(text), context));
const byteSize = z.string().transform((text, context) => attempt(() => parseByteSize(text), context));
const text = z.string().min(1, 'must not be empty');
const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).transform((url) => url.replace(/\/+$/, ''));
const natsUrl = z.string().regex(/^(nats|tls):\/\/[^\s]+$/, 'must be a nats:// or tls:// address');
const redisUrl = z.url({ protocol: /^rediss?$/, error: 'must be a redis:// or rediss:// URL' });
const words = z
  .string()
  .transform((list) => list.split(',').map((word) => word.trim()))
  .pipe(z.array(text).min(1));

/** Every setting of every process, by the name of its environment variable. Docs and `.env.example` are made from it. */
export const SETTINGS = {
  DATABASE: {
    group: 'Adapters',
    text: 'Where the state lives: `embedded` (a Postgres of our own in `DATA_DIR`) or a `postgres://` URL (version 15 or newer).',
    fallback: 'embedded',
    schema: z.union([z.literal('embedded'), z.url({ protocol: /^postgres(ql)?$/ })], { error: 'must be "embedded" or a postgres:// URL' }),
    isSecret: true,
  },
  BUS: {
    group: 'Adapters',
    text: 'How events travel: `local` (within this one process) or `nats` (JetStream).',
    fallback: 'local',
    schema: z.enum(['local', 'nats'], { error: 'must be "local" or "nats"' }),
  },
  NATS_URL: { group: 'Adapters', text: 'Address of NATS 2.10 or newer with JetStream, for `BUS=nats`.', schema: natsUrl, isSecret: true },
  BLOBS: {
    group: 'Adapters',
    text: 'Where large objects lie: `disk` (in `DATA_DIR`) or `s3`.',
    fallback: 'disk',
    schema: z.enum(['disk', 's3'], { error: 'must be "disk" or "s3"' }),
  },
  S3_ENDPOINT: { group: 'Adapters', text: 'Address of the S3 service, for `BLOBS=s3`.', schema: httpUrl },
  S3_REGION: { group: 'Adapters', text: 'Region that S3 requests are signed for.', fallback: 'us-east-1', schema: text },
  S3_BUCKET: { group: 'Adapters', text: 'Bucket; made at start when it is missing.', fallback: 'triphammer', schema: text },
  S3_ACCESS_KEY: { group: 'Adapters', text: 'Access key of the S3 service.', schema: text, isSecret: true },
  S3_SECRET_KEY: { group: 'Adapters', text: 'Secret key of the S3 service.', schema: text, isSecret: true },
  CACHE: {
    group: 'Adapters',
    text: 'What replicas share beyond the database (live log tails): `memory` (one process) or `redis`.',
    fallback: 'memory',
    schema: z.enum(['memory', 'redis'], { error: 'must be "memory" or "redis"' }),
  },
  REDIS_URL: { group: 'Adapters', text: 'Address of Redis, for `CACHE=redis`.', schema: redisUrl, isSecret: true },
  DATABASE_POOL: { group: 'Adapters', text: 'Database connections of one process, at most.', fallback: '20', schema: whole(5, 500) },

  HOST: { group: 'Network', text: 'Address to listen on.', fallback: '127.0.0.1', schema: text },
  PORT: { group: 'Network', text: 'Port to listen on; 0 takes any free one.', fallback: '3000', schema: whole(0, 65_535) },
  PUBLIC_URL: {
    group: 'Network',
    text: 'The address under which runners, forges and people reach this installation, with its path prefix if there is one. Default: `http://HOST:PORT`.',
    schema: httpUrl,
  },

  DATA_DIR: {
    group: 'Operation',
    text: 'Folder of everything that must survive. Default: `/var/lib/triphammer` as root, else `~/.local/share/triphammer`.',
    schema: text,
  },
  LOG_LEVEL: {
    group: 'Operation',
    text: 'How much the process logs.',
    fallback: 'info',
    schema: z.enum(['trace', 'debug', 'info', 'warn', 'error'], { error: 'must be trace, debug, info, warn or error' }),
  },
  SHUTDOWN_GRACE: { group: 'Operation', text: 'How long a stopping process waits for work under way.', fallback: '20s', schema: duration },
  METRICS_TOKEN: { group: 'Operation', text: 'When set, `/metrics` demands it as a bearer token.', schema: text, isSecret: true },

  SECRET_KEY: {
    group: 'Secrets',
    text: 'Encrypts what must come back in clear (forge credentials) and signs job tokens; 32 characters or more. The all-in-one makes one in `DATA_DIR`; elsewhere it is required, and the same for all services.',
    schema: z.string().min(32, 'must have at least 32 characters'),
    isSecret: true,
  },
  ADMIN_TOKEN: {
    group: 'Secrets',
    text: 'Bearer token of the API; 32 characters or more. The all-in-one makes one in `DATA_DIR`; elsewhere it is required.',
    schema: z.string().min(32, 'must have at least 32 characters'),
    isSecret: true,
  },
  REGISTRATION_TOKEN: {
    group: 'Secrets',
    text: 'A registration token that is valid from the first start on, so that a fleet can be brought up without a person; 32 characters or more. The all-in-one makes one in `DATA_DIR`.',
    schema: z.string().min(32, 'must have at least 32 characters'),
    isSecret: true,
  },

  WORKFLOW_DIRS: {
    group: 'Forges and workflows',
    text: 'Folders that may hold workflows; the first that exists in a commit is the one.',
    fallback: '.gitea/workflows,.forgejo/workflows,.github/workflows',
    schema: words,
  },
  DEFAULT_ACTIONS_URL: {
    group: 'Forges and workflows',
    text: 'Where runners find actions that a workflow names without a host.',
    fallback: 'https://github.com',
    schema: httpUrl,
  },
  GIT_CACHE_LIMIT: { group: 'Forges and workflows', text: 'Size that the cache of bare repositories is cut back to.', fallback: '5 GiB', schema: byteSize },
  WEBHOOK_BODY_LIMIT: { group: 'Forges and workflows', text: 'Largest webhook that is taken.', fallback: '25 MiB', schema: byteSize },

  FETCH_HOLD_LIMIT: {
    group: 'Runners and jobs',
    text: 'How long a runner that asks for work is held at most. It is never held longer than it says it will wait, less half a second.',
    fallback: '50s',
    schema: duration,
  },
  CLAIM_CONFIRM_TIMEOUT: {
    group: 'Runners and jobs',
    text: 'A task of which nothing was heard this long after it was handed out is given up, and its job waits again.',
    fallback: '60s',
    schema: duration,
  },
  TASK_SILENCE_TIMEOUT: { group: 'Runners and jobs', text: 'A running task that falls silent for this long fails.', fallback: '10m', schema: duration },
  RUNNER_OFFLINE_AFTER: { group: 'Runners and jobs', text: 'A runner that has not called for this long counts as offline.', fallback: '2m', schema: duration },
  JOB_TIMEOUT: { group: 'Runners and jobs', text: 'Limit of a job that names no `timeout-minutes`.', fallback: '6h', schema: duration },

  LOG_ARCHIVE: {
    group: 'Logs',
    text: 'Form of archived logs: `zstd` (seekable) or `none` (plain).',
    fallback: 'zstd',
    schema: z.enum(['zstd', 'none'], { error: 'must be "zstd" or "none"' }),
  },
  LOG_LINE_LIMIT: { group: 'Logs', text: 'Longer log lines are cut here, and say so.', fallback: '64 KiB', schema: byteSize },
  LOG_TASK_LIMIT: { group: 'Logs', text: 'What one task may log; the rest is dropped, and the log says so.', fallback: '512 MiB', schema: byteSize },
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;

function attempt<Value>(parse: () => Value, context: z.RefinementCtx): Value {
  try {
    return parse();
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
    return z.NEVER;
  }
}
