import { existsSync, readdirSync } from 'node:fs';
import { defineConfig } from 'rolldown';

/** Our own packages are bundled from source, and so is rolldown's runtime, which it carries itself; everything from node_modules stays external. */
const isExternal = (id) => !/^(\.|\/|@triphammer\/|@oxc-project\/runtime\/)/.test(id);

export default defineConfig(
  readdirSync('apps')
    .filter((app) => existsSync(`apps/${app}/src/main.ts`))
    .map((app) => ({
      input: `apps/${app}/src/main.ts`,
      platform: 'node',
      external: isExternal,
      tsconfig: 'tsconfig.json',
      output: { file: `apps/${app}/dist/main.js`, format: 'cjs', sourcemap: true, keepNames: true },
    })),
);
