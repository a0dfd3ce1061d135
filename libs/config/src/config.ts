import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '@triphammer/foundation';
import type { z } from 'zod';
import { SETTINGS, type Setting, type SettingName } from './settings';

type Values = {
  readonly [Name in SettingName]: (typeof SETTINGS)[Name] extends { fallback: string }
    ? z.output<(typeof SETTINGS)[Name]['schema']>
    : z.output<(typeof SETTINGS)[Name]['schema']> | undefined;
};

/** What a process was told, in slices; each part takes the slice that it needs. Durations are milliseconds, sizes bytes. */
export interface Config {
  readonly database: { readonly url: string | 'embedded'; readonly poolSize: number };
  readonly bus: { readonly kind: 'local' } | { readonly kind: 'nats'; readonly url: string };
  readonly blobs: { readonly kind: 'disk' } | ({ readonly kind: 's3' } & S3Config);
  readonly cache: { readonly kind: 'memory' } | { readonly kind: 'redis'; readonly url: string };
  readonly network: {
    readonly host: string;
    readonly port: number;
    /** No trailing slash. */
    readonly publicUrl: string;
    /** The path of `publicUrl`: empty, or `/ci`. */
    readonly pathPrefix: string;
  };
  readonly dataDir: string;
  readonly secrets: {
    readonly secretKey: string;
    readonly adminToken: string;
    /** Absent when only the API hands out registration tokens. */
    readonly registrationToken: string | undefined;
  };
  readonly operation: { readonly logLevel: Values['LOG_LEVEL']; readonly shutdownGraceMs: number; readonly metricsToken: string | undefined };
  readonly workflows: { readonly folders: readonly string[]; readonly defaultActionsUrl: string };
  readonly forges: { readonly gitCacheLimit: number; readonly webhookBodyLimit: number };
  readonly runners: {
    readonly fetchHoldLimitMs: number;
    readonly claimConfirmTimeoutMs: number;
    readonly taskSilenceTimeoutMs: number;
    readonly offlineAfterMs: number;
    readonly jobTimeoutMs: number;
  };
  readonly logs: { readonly archive: 'zstd' | 'none'; readonly lineLimit: number; readonly taskLimit: number };
}

export interface S3Config {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

export type SecretName = 'SECRET_KEY' | 'ADMIN_TOKEN' | 'REGISTRATION_TOKEN';
/** Reads the secret from the data folder; makes it there first when it is missing. */
export type KeepSecret = (dataDir: string, name: SecretName) => string;
type Environment = Readonly<Record<string, string | undefined>>;

/** Nest's token for the `Config` of the process. */
export const CONFIG = Symbol('Config');

/**
 * Reads all settings from `environment` and from the files that `NAME_FILE` variables name. Throws one `Failure`
 * that lists every problem by the setting's name. Nothing else in the product reads the environment.
 * `keepSecret` gives a secret that was not set and that the embedded default makes for itself.
 */
export function loadConfig(environment: Environment, keepSecret: KeepSecret): Config {
  const problems: string[] = [];
  const entries = (Object.keys(SETTINGS) as SettingName[]).map((name) => [name, readSetting(name, environment, problems)]);
  const values = Object.fromEntries(entries) as Values;
  if (problems.length === 0) problems.push(...missingCompanions(values));
  if (problems.length > 0) {
    throw new Failure('invalid-input', `The settings have ${problems.length} problem(s):\n${problems.map((line) => `  ${line}`).join('\n')}`);
  }
  return toConfig(values, keepSecret);
}

function readSetting(name: SettingName, environment: Environment, problems: string[]): unknown {
  const setting: Setting<unknown> = SETTINGS[name];
  const written = writtenValue(name, environment, problems) ?? setting.fallback;
  if (written === undefined) return undefined;
  const result = setting.schema.safeParse(written);
  if (result.success) return result.data;
  problems.push(`${name} ${result.error.issues.map((issue) => issue.message).join('; ')}`);
  return undefined;
}

function writtenValue(name: SettingName, environment: Environment, problems: string[]): string | undefined {
  const direct = environment[name];
  const file = environment[`${name}_FILE`];
  if (direct !== undefined && file !== undefined) {
    problems.push(`${name} is set twice: by ${name} and by ${name}_FILE`);
    return undefined;
  }
  if (file === undefined) return direct;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    problems.push(`${name}_FILE names a file that cannot be read: ${(error as Error).message}`);
    return undefined;
  }
}

const COMPANIONS = [
  { when: (v: Values) => v.BUS === 'nats', because: 'BUS=nats', needs: ['NATS_URL'] },
  { when: (v: Values) => v.CACHE === 'redis', because: 'CACHE=redis', needs: ['REDIS_URL'] },
  { when: (v: Values) => v.BLOBS === 's3', because: 'BLOBS=s3', needs: ['S3_ENDPOINT', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'] },
  { when: (v: Values) => v.DATABASE !== 'embedded', because: 'DATABASE is not embedded', needs: ['SECRET_KEY', 'ADMIN_TOKEN'] },
] as const satisfies readonly { when: (v: Values) => boolean; because: string; needs: readonly SettingName[] }[];

function missingCompanions(values: Values): string[] {
  return COMPANIONS.filter((rule) => rule.when(values)).flatMap((rule) =>
    rule.needs.filter((name) => values[name] === undefined).map((name) => `${name} is required, because ${rule.because}`),
  );
}

function toConfig(v: Values, keepSecret: KeepSecret): Config {
  const dataDir = v.DATA_DIR ?? defaultDataDir();
  const kept = (name: SecretName) => v[name] ?? (v.DATABASE === 'embedded' ? keepSecret(dataDir, name) : undefined);
  const publicUrl = v.PUBLIC_URL ?? `http://${v.HOST === '0.0.0.0' || v.HOST === '::' ? 'localhost' : v.HOST}:${v.PORT}`;
  const path = new URL(publicUrl).pathname;
  return {
    database: { url: v.DATABASE, poolSize: v.DATABASE_POOL },
    bus: v.BUS === 'nats' ? { kind: 'nats', url: v.NATS_URL as string } : { kind: 'local' },
    blobs:
      v.BLOBS === 's3'
        ? {
            kind: 's3',
            endpoint: v.S3_ENDPOINT as string,
            region: v.S3_REGION,
            bucket: v.S3_BUCKET,
            accessKey: v.S3_ACCESS_KEY as string,
            secretKey: v.S3_SECRET_KEY as string,
          }
        : { kind: 'disk' },
    cache: v.CACHE === 'redis' ? { kind: 'redis', url: v.REDIS_URL as string } : { kind: 'memory' },
    network: { host: v.HOST, port: v.PORT, publicUrl, pathPrefix: path === '/' ? '' : path },
    dataDir,
    secrets: { secretKey: kept('SECRET_KEY') as string, adminToken: kept('ADMIN_TOKEN') as string, registrationToken: kept('REGISTRATION_TOKEN') },
    operation: { logLevel: v.LOG_LEVEL, shutdownGraceMs: v.SHUTDOWN_GRACE, metricsToken: v.METRICS_TOKEN },
    workflows: { folders: v.WORKFLOW_DIRS, defaultActionsUrl: v.DEFAULT_ACTIONS_URL },
    forges: { gitCacheLimit: v.GIT_CACHE_LIMIT, webhookBodyLimit: v.WEBHOOK_BODY_LIMIT },
    runners: {
      fetchHoldLimitMs: v.FETCH_HOLD_LIMIT,
      claimConfirmTimeoutMs: v.CLAIM_CONFIRM_TIMEOUT,
      taskSilenceTimeoutMs: v.TASK_SILENCE_TIMEOUT,
      offlineAfterMs: v.RUNNER_OFFLINE_AFTER,
      jobTimeoutMs: v.JOB_TIMEOUT,
    },
    logs: { archive: v.LOG_ARCHIVE, lineLimit: v.LOG_LINE_LIMIT, taskLimit: v.LOG_TASK_LIMIT },
  };
}

function defaultDataDir(): string {
  return process.getuid?.() === 0 ? '/var/lib/triphammer' : join(homedir(), '.local', 'share', 'triphammer');
}
