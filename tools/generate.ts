import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openApiDocument } from '@triphammer/api-kit';
import { renderEnvExample, renderSettingsPage } from '@triphammer/config';
import { FEATURE_APIS } from './generate/feature-apis';
import { renderGatewayLocations } from './generate/gateway-locations';
import { generateRunnerRpc } from './generate/runner-rpc';
import { generateVendor } from './generate/vendor';

const ROOT = join(__dirname, '..');
/** Holds generated files and nothing else: what is not made any more goes. */
const WHOLLY_GENERATED = 'libs/runner-rpc/src/gen';

/** `npm run generate` writes what is made from tables; with `--check` it writes nothing and fails when something would change. */
function generate(isCheck: boolean): void {
  const files = new Map([
    ['docs/configuration.md', renderSettingsPage()],
    ['.env.example', renderEnvExample()],
    ['docs/openapi.json', renderOpenApi()],
    ['deploy/gateway/api-locations.conf', renderGatewayLocations(FEATURE_APIS)],
    ...generateRunnerRpc(ROOT),
    ...generateVendor(ROOT),
  ]);
  const changed = [...files].filter(([path, text]) => readIfThere(path) !== text);
  const dead = filesBelow(WHOLLY_GENERATED).filter((path) => !files.has(path));
  const paths = [...changed.map(([path]) => path), ...dead];
  if (isCheck) {
    if (paths.length === 0) return;
    process.stderr.write(`These files are not as they would be made. Run "npm run generate":\n${paths.map((path) => `  ${path}\n`).join('')}`);
    process.exitCode = 1;
    return;
  }
  for (const [path, text] of changed) write(path, text);
  for (const path of dead) rmSync(join(ROOT, path));
  process.stdout.write(paths.length === 0 ? 'nothing has changed\n' : paths.map((path) => `${path}\n`).join(''));
}

function renderOpenApi(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const routes = FEATURE_APIS.flatMap((api) => api.routes);
  return `${JSON.stringify(openApiDocument(routes, version), null, 2)}\n`;
}

function readIfThere(path: string): string | undefined {
  return existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : undefined;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), text);
}

function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
}

generate(process.argv.includes('--check'));
