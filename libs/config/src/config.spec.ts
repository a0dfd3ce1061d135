import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { loadConfig as load, renderEnvExample, renderSettingsPage, SETTINGS } from './index';

const loadConfig = (environment: Record<string, string>) => load(environment, (_folder, name) => `kept ${name}`);

const SCALED = {
  DATABASE: 'postgres://t@db/t',
  SECRET_KEY: 'k'.repeat(32),
  ADMIN_TOKEN: 'a'.repeat(32),
};

describe('the settings', () => {
  it('need nothing for one process on the embedded default', () => {
    const config = loadConfig({});

    expect(config).toMatchObject({
      database: { url: 'embedded' },
      bus: { kind: 'local' },
      blobs: { kind: 'disk' },
      cache: { kind: 'memory' },
      network: { host: '127.0.0.1', port: 3000, publicUrl: 'http://127.0.0.1:3000', pathPrefix: '' },
      runners: { fetchHoldLimitMs: 50_000, claimConfirmTimeoutMs: 60_000 },
      secrets: { secretKey: 'kept SECRET_KEY', adminToken: 'kept ADMIN_TOKEN', registrationToken: 'kept REGISTRATION_TOKEN' },
    });
  });

  it('name every problem at once', () => {
    const attempt = () => loadConfig({ PORT: 'high', LOG_LEVEL: 'loud', FETCH_HOLD_LIMIT: '50', LOG_LINE_LIMIT: '64', BUS: 'kafka', HOST: '' });

    expect(attempt).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          /6 problem\(s\)[^]*BUS must[^]*HOST must not[^]*PORT must[^]*LOG_LEVEL must[^]*FETCH_HOLD_LIMIT "50"[^]*LOG_LINE_LIMIT "64"/,
        ),
      }),
    );
  });

  it.each([
    [{ ...SCALED, BUS: 'nats' }, 'NATS_URL is required, because BUS=nats'],
    [{ ...SCALED, CACHE: 'redis' }, 'REDIS_URL is required, because CACHE=redis'],
    [{ ...SCALED, BLOBS: 's3', S3_ENDPOINT: 'http://s3:9000' }, 'S3_ACCESS_KEY is required, because BLOBS=s3'],
    [{ DATABASE: 'postgres://t@db/t' }, 'SECRET_KEY is required, because DATABASE is not embedded'],
  ])('say which other setting a choice needs (%#)', (environment, problem) => {
    expect(() => loadConfig(environment)).toThrow(problem);
  });

  it('may come from a file, without its last newline, but not from both', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'settings-')), 'key');
    writeFileSync(file, `${'f'.repeat(40)}\n`);

    expect(loadConfig({ SECRET_KEY_FILE: file }).secrets.secretKey).toBe('f'.repeat(40));
    expect(() => loadConfig({ SECRET_KEY_FILE: file, SECRET_KEY: 'x'.repeat(32) })).toThrow('SECRET_KEY is set twice');
    expect(() => loadConfig({ SECRET_KEY_FILE: `${file}.no` })).toThrow('SECRET_KEY_FILE names a file that cannot be read');
  });

  it('take the path prefix from the public address', () => {
    expect(loadConfig({ PUBLIC_URL: 'https://example.org/ci/' }).network).toMatchObject({ publicUrl: 'https://example.org/ci', pathPrefix: '/ci' });
  });

  it('never show a secret in a message', () => {
    expect(() => loadConfig({ SECRET_KEY: 'hunter2' })).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter2') }));
  });
});

describe('the generated pages', () => {
  it.each(Object.keys(SETTINGS))('have %s', (name) => {
    expect(renderSettingsPage()).toContain(`\`${name}\``);
    expect(renderEnvExample()).toContain(`#${name}=`);
  });
});
