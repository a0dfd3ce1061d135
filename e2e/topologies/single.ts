import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../harness/free-port';
import { type Installation, newSecret, SHORT_LIMITS } from '../harness/installation';
import { ManagedProcess } from '../harness/managed-process';
import { answersOk } from '../harness/until';

/** One process with its embedded Postgres, disk blobs and the local bus: the default. */
export async function startSingle(): Promise<Installation> {
  const workFolder = await mkdtemp(join(tmpdir(), 'triphammer-e2e-'));
  await chmod(workFolder, 0o755);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const [adminToken, registrationToken] = [newSecret(), newSecret()];
  const all = new ManagedProcess({
    name: 'triphammer',
    command: process.execPath,
    args: ['apps/triphammer/dist/main.js', 'serve'],
    env: {
      DATA_DIR: join(workFolder, 'data'),
      PORT: String(port),
      ADMIN_TOKEN: adminToken,
      REGISTRATION_TOKEN: registrationToken,
      ...SHORT_LIMITS,
    },
    logFile: join(workFolder, 'triphammer.log'),
    isReady: () => answersOk(`${url}/readyz`),
  });
  await all.start();
  return {
    topology: 'single',
    url,
    adminToken,
    registrationToken,
    workFolder,
    processes: new Map([['triphammer', all]]),
    stop: async () => {
      await all.stop();
      await rm(workFolder, { recursive: true, force: true });
    },
  };
}
