import { join } from 'node:path';
import nx from '@nx/eslint-plugin';
import type { Linter } from 'eslint';
import { readProjects } from '../projects';
import { CIRCLES_OF_TESTS, DEPENDENCIES, TEST_DEPENDENCIES } from './boundaries';
import { houseRules, TEST_FILES } from './house-rules';
import { typedRules } from './typed-rules';

const ROOT = join(__dirname, '../..');

/** The whole ESLint configuration. The boundaries need a fresh project graph: `npm run check` makes one first. */
export const config: Linter.Config[] = [
  { ignores: ['**/node_modules', '**/dist', '**/gen', '**/testdata', '.nx', '.cache', 'coverage', '**/*.{js,cjs,mjs}'] },
  ...houseRules(ROOT, readProjects(ROOT)),
  typedRules(ROOT),
  boundaries(['{apps,libs}/**/*.ts'], DEPENDENCIES),
  boundaries(TEST_FILES, TEST_DEPENDENCIES),
];

function boundaries(files: string[], depConstraints: unknown): Linter.Config {
  return {
    files,
    plugins: { '@nx': nx as Linter.Plugin },
    rules: { '@nx/enforce-module-boundaries': ['error', { depConstraints, ignoredCircularDependencies: CIRCLES_OF_TESTS }] },
  };
}
