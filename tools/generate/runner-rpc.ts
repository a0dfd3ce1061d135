import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OUTPUT = 'libs/runner-rpc/src/gen';

/** The messages and services of `proto/`, as buf and protoc-gen-es make them without a network: path from the root → text. */
export function generateRunnerRpc(root: string): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'generate-'));
  try {
    const path = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`;
    execFileSync('buf', ['generate', 'proto', '--template', 'proto/buf.gen.yaml', '--output', folder], { cwd: root, env: { ...process.env, PATH: path } });
    const files = readdirSync(join(folder, OUTPUT), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return new Map(
      files.map((file) => {
        const absolute = join(file.parentPath, file.name);
        return [absolute.slice(folder.length + 1), readFileSync(absolute, 'utf8')];
      }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
