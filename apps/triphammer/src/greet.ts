import { existsSync } from 'node:fs';
import type { Config } from '@triphammer/config';
import { secretFile } from '@triphammer/platform';
import { renderGreeting } from './greeting';

/** To the person at the terminal, beside the log: stdout carries the log's JSON lines alone. */
export function greet({ network, dataDir, secrets }: Config): void {
  const tokenFile = secretFile(dataDir, 'ADMIN_TOKEN');
  const text = renderGreeting({
    address: network.publicUrl,
    dataFolder: dataDir,
    adminTokenFile: existsSync(tokenFile) ? tokenFile : undefined,
    registrationToken: secrets.registrationToken,
  });
  process.stderr.write(text);
}
