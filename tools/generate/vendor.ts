import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Packages that `require` cannot load on every Node 20, and where their bundle goes: path from the root → package. */
const BUNDLES = new Map([['libs/workflows/vendor/actions-expressions.cjs', '@actions/expressions']]);

/** Each such package as one CommonJS file, its version and licence on top: path from the root → text. */
export function generateVendor(root: string): ReadonlyMap<string, string> {
  return new Map([...BUNDLES].map(([path, name]) => [path, bundle(root, name)]));
}

function bundle(root: string, name: string): string {
  const source = join(root, 'node_modules', name);
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string };
  const licence = readFileSync(join(source, 'LICENSE'), 'utf8').trim();
  const folder = mkdtempSync(join(tmpdir(), 'generate-'));
  try {
    const file = join(folder, 'bundle.cjs');
    execFileSync(join(root, 'node_modules/.bin/rolldown'), ['dist/index.js', '--format', 'cjs', '--platform', 'node', '--file', file], {
      cwd: source,
      stdio: 'pipe',
    });
    return `/*\n${name} ${version}, bundled by "npm run generate".\n\n${licence}\n*/\n${readFileSync(file, 'utf8')}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
