import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretName } from '@triphammer/config';
import { Failure, newToken } from '@triphammer/foundation';

const FILE_OF: Readonly<Record<SecretName, string>> = {
  SECRET_KEY: 'secret-key',
  ADMIN_TOKEN: 'admin-token',
  REGISTRATION_TOKEN: 'registration-token',
};

/** The file of the data folder that keeps a secret which the embedded default made for itself. */
export function secretFile(dataDir: string, name: SecretName): string {
  return join(dataDir, FILE_OF[name]);
}

/** Reads a kept secret, or makes it at the first start: 40 hex characters in a file that only its owner may read. */
export function keepSecret(dataDir: string, name: SecretName): string {
  const file = secretFile(dataDir, name);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  mkdirSync(dataDir, { recursive: true });
  const secret = newToken();
  writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: 'wx' });
  return secret;
}

/**
 * Makes this process the only one on the data folder. The lock names its holder by pid and by the time that process
 * began, because pids are used again. Returns what gives the folder back.
 */
export async function lockDataFolder(dataDir: string): Promise<() => Promise<void>> {
  const file = join(dataDir, 'lock');
  const mine = `${process.pid} ${await startOf(process.pid)}\n`;
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      const handle = await open(file, 'wx', 0o644);
      await handle.writeFile(mine);
      await handle.close();
      return () => rm(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(dataDir, error);
    }
    await removeStaleLock(file, dataDir);
  }
  throw new Failure('conflict', `Another process is starting on ${dataDir} just now.`);
}

async function removeStaleLock(file: string, dataDir: string): Promise<void> {
  const [pid = '', begun = ''] = (await readFile(file, 'utf8').catch(() => '')).trim().split(' ');
  if (begun !== '' && begun === (await startOf(Number(pid)))) {
    throw new Failure('conflict', `Triphammer runs on ${dataDir} already, as process ${pid}. Stop it first, or give this one another DATA_DIR.`);
  }
  await rm(file, { force: true });
}

/** Kernel ticks between boot and the process's start, from field 22 of its `stat`; empty when there is no such process. */
async function startOf(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/** Makes the folder, or throws a `Failure` that says what is wrong with it. */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  try {
    mkdirSync(dataDir, { recursive: true });
    if (!(await stat(dataDir)).isDirectory()) throw new Error('it is not a folder');
  } catch (error) {
    throw unusable(dataDir, error);
  }
}

function unusable(dataDir: string, error: unknown): Failure {
  return new Failure(
    'precondition-failed',
    `The data folder ${dataDir} cannot be used: ${(error as Error).message}. Set DATA_DIR to a folder that may be written.`,
    {
      cause: error,
    },
  );
}
