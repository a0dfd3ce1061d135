import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The programs that `tools/ci/tools.sh` names; a missing one fails by name, it is never skipped. */
type ToolName = 'POSTGRES_BIN' | 'NATS_SERVER' | 'VERSITYGW' | 'GITEA_RUNNER' | 'GITEA' | 'GITEA_STATIC';

export function tool(name: ToolName): string {
  const path = process.env[name];
  if (!path || !existsSync(path))
    throw new Error(`${name} (${path ?? 'not set'}) is missing: run tools/ci/install-tools.sh, and start this through npm run e2e`);
  return path;
}

/** Whom root runs a server as that refuses to run as root; undefined for everybody else. */
export function unprivileged(user: string): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lookUp = (flag: string) => Number(execFileSync('id', [flag, user]).toString());
  return { uid: lookUp('-u'), gid: lookUp('-g') };
}
