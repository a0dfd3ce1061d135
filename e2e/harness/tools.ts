import { existsSync } from 'node:fs';

/** The programs that `tools/ci/tools.sh` names; a missing one fails by name, it is never skipped. */
const TOOLS = ['POSTGRES_BIN', 'NATS_SERVER', 'VERSITYGW', 'GITEA_RUNNER', 'GITEA', 'GITEA_STATIC'] as const;

export function tool(name: (typeof TOOLS)[number]): string {
  const path = process.env[name];
  if (!path || !existsSync(path))
    throw new Error(`${name} (${path ?? 'not set'}) is missing: run tools/ci/install-tools.sh, and start this through npm run e2e`);
  return path;
}

/** Root's servers that refuse to run as root run as this user. */
export function unprivileged(uidOf: string): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { execFileSync } = require('node:child_process') as typeof import('node:child_process');
  const id = (flag: string) => Number(execFileSync('id', [flag, uidOf]).toString());
  return { uid: id('-u'), gid: id('-g') };
}
