import { join } from 'node:path';
import nx from '@nx/eslint-plugin';
import type { ESLint, Linter } from 'eslint';
import { readProjects } from '../projects';
import { CIRCLES_OF_TESTS, DEPENDENCIES, TEST_DEPENDENCIES } from './boundaries';
import { houseRules, TEST_FILES } from './house-rules';
import { typedRules } from './typed-rules';

const ROOT = join(__dirname, '../..');
/** The console serves the description of the whole API, which no lib can make: `npm run generate` does, from all features. */
const GENERATED = ['../../../../docs/openapi.json'];

/** The whole ESLint configuration. The boundaries need a fresh project graph: `npm run check` makes one first. */
export const config: Linter.Config[] = [
  { ignores: ['**/node_modules', '**/dist', '**/gen', '**/testdata', '.nx', '.cache', 'coverage', '**/*.{js,cjs,mjs}'] },
  ...houseRules(ROOT, readProjects(ROOT)),
  typedRules(ROOT),
  boundaries(['{apps,libs}/**/*.ts'], DEPENDENCIES),
  boundaries(TEST_FILES, TEST_DEPENDENCIES),
  // A server inside a test may answer with a promise: its failure fails the test.
  { files: TEST_FILES, rules: { '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }] } },
];

function boundaries(files: string[], depConstraints: unknown): Linter.Config {
  return {
    files,
    plugins: { '@nx': nx as unknown as ESLint.Plugin },
    rules: { '@nx/enforce-module-boundaries': ['error', { allow: GENERATED, depConstraints, ignoredCircularDependencies: CIRCLES_OF_TESTS }] },
  };
}
