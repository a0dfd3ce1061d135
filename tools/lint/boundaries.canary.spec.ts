import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readProjects } from '../projects';

const ROOT = join(__dirname, '../..');
const LIMIT_MS = 120_000;
const run = promisify(execFile);

/** New projects that break the rules, and how often each does. The last one keeps them. */
const CANARIES = [
  { name: 'domain-canary', tag: 'domain', imports: ['@nestjs/common', '@triphammer/runs'], errors: 2 },
  { name: 'feature-canary', tag: 'feature', imports: ['@triphammer/feature-task-dispatcher', '@triphammer/testing'], errors: 2 },
  { name: 'pure-canary', tag: 'pure', imports: ['@triphammer/blob-store', 'pg'], errors: 2 },
  { name: 'app-canary', tag: 'app', imports: ['@triphammer/runs'], errors: 1 },
  { name: 'good-canary', tag: 'domain', imports: ['@triphammer/models', '@triphammer/foundation'], errors: 0 },
] as const;

/** A graph that does not know a new project lets everything of it pass, in silence: hence a workspace with new projects. */
describe('the boundaries between projects', () => {
  let copy: string;
  let errors: ReadonlyMap<string, readonly string[]>;

  beforeAll(async () => {
    copy = copyWorkspace();
    for (const canary of CANARIES) addCanary(copy, canary);
    linkProjects(copy);
    errors = await lint(copy);
  }, LIMIT_MS);

  afterAll(() => rmSync(copy, { recursive: true }));

  it.each(CANARIES)('show $errors error(s) in $name', ({ name, errors: count }) => {
    expect(errors.get(name)).toEqual(Array(count).fill('@nx/enforce-module-boundaries'));
  });
});

/** What lint reads of the workspace: settings, rules and the projects' manifests. */
function copyWorkspace(): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'boundaries-')));
  const files = ['package.json', 'package-lock.json', 'nx.json', 'tsconfig.json', 'tsconfig.base.json', 'eslint.config.cjs', 'tools/projects.ts', 'tools/lint'];
  const manifests = readProjects(ROOT).map(({ folder }) => join(folder, 'package.json'));
  for (const path of [...files, ...manifests]) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(ROOT, path), join(copy, path), { recursive: true });
  }
  return copy;
}

function addCanary(copy: string, { name, tag, imports }: (typeof CANARIES)[number]): void {
  const folder = join(copy, 'libs', name);
  mkdirSync(join(folder, 'src'), { recursive: true });
  const manifest = { name: `@triphammer/${name}`, version: '0.0.0', private: true, exports: { '.': './src/index.ts' }, nx: { tags: [`type:${tag}`] } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'src/index.ts'), imports.map((source) => `import '${source}';\n`).join(''));
}

/** The packages of the workspace itself must be those of the copy; all others are the ones that are installed. */
function linkProjects(copy: string): void {
  mkdirSync(join(copy, 'node_modules/@triphammer'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== '@triphammer') symlinkSync(join(ROOT, 'node_modules', name), join(copy, 'node_modules', name));
  }
  for (const { name, folder } of readProjects(copy)) symlinkSync(join(copy, folder), join(copy, 'node_modules', name));
}

async function lint(copy: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const options = { cwd: copy, env: { ...process.env, NX_DAEMON: 'false', NX_WORKSPACE_ROOT_PATH: copy } };
  await run(join(ROOT, 'node_modules/.bin/nx'), ['graph', '--file=graph.json'], options);
  const folders = CANARIES.map(({ name }) => `libs/${name}`);
  const { stdout } = await run(join(ROOT, 'node_modules/.bin/eslint'), ['--format=json', ...folders], options).catch((error: { stdout: string }) => error);
  const files = JSON.parse(stdout) as readonly { filePath: string; messages: readonly { ruleId: string }[] }[];
  return new Map(
    CANARIES.map(({ name }) => [
      name,
      files.filter((file) => file.filePath.includes(`/${name}/`)).flatMap((file) => file.messages.map(({ ruleId }) => ruleId)),
    ]),
  );
}
