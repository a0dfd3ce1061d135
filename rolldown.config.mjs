import { readdirSync } from 'node:fs';
import { defineConfig } from 'rolldown';

/** Our own packages are bundled from source; everything from node_modules stays external. */
const isExternal = (id) => !id.startsWith('.') && !id.startsWith('/') && !id.startsWith('@triphammer/');

export default defineConfig(
  readdirSync('apps').map((app) => ({
    input: `apps/${app}/src/main.ts`,
    platform: 'node',
    external: isExternal,
    tsconfig: 'tsconfig.json',
    output: { file: `apps/${app}/dist/main.js`, format: 'cjs', sourcemap: true, keepNames: true },
  })),
);
