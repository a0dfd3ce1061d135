import type { Linter } from 'eslint';
import { parser, plugin as typescript } from 'typescript-eslint';
import type { Project } from '../projects';
import { environment } from './environment';
import { projectImports } from './project-imports';

/** What only tests run. */
export const TEST_FILES = ['**/*.spec.ts', '**/*.contract.ts', '**/*.conformance.ts', '**/*.harness.ts'];
/** What stands outside the product: it may read the environment and the clock, and write to the terminal. */
const OUTSIDE = ['libs/testing/**/*.ts', 'e2e/**/*.ts', 'bench/**/*.ts', 'tools/**/*.ts', '*.ts', ...TEST_FILES];
/** The process's start, and the server that is started with what the process was given. */
const READERS_OF_THE_ENVIRONMENT = ['libs/platform/src/start.ts', 'libs/platform/src/embedded-postgres.ts', 'apps/cli/**/*.ts'];

type RestrictedSyntax = { readonly selector: string; readonly message: string };

const SHAPE: readonly RestrictedSyntax[] = [
  { selector: 'ExportDefaultDeclaration', message: 'Export by name: a thing has one name everywhere.' },
  { selector: 'ExportAllDeclaration', message: "Name what is exported: a lib's surface is read in its index.ts." },
  { selector: 'TSEnumDeclaration', message: 'Use a union of literals, or a table `as const`.' },
  {
    selector:
      ':matches(ClassDeclaration, TSInterfaceDeclaration, TSTypeAliasDeclaration)[id.name=/^(I[A-Z][a-z]|Base[A-Z]|Abstract[A-Z])|(Impl|Dto|Manager|Helper|Util|Utils)$/]',
    message: 'Name it after what it is in the field (house: no I, Impl, Base, Dto, Manager).',
  },
];
const CLOCK: readonly RestrictedSyntax[] = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Decisions get the time as a value; only features have the clock.' },
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'Decisions get the time as a value; only features have the clock.',
  },
];
const TEST_IMPORTS = { group: TEST_FILES.map((file) => file.replace('.ts', '')), message: 'This is for tests alone.' };
const IO_IMPORTS = { group: ['node:*'], message: 'A pure lib has no I/O, no clock, no workers: the feature has them.' };

/** The house's rules on text alone: which form code has, and where which means stand. */
export function houseRules(root: string, projects: readonly Project[]): Linter.Config[] {
  const filesOf = (...tags: string[]) => projects.filter(({ tag }) => tags.includes(tag)).map(({ folder }) => `${folder}/**/*.ts`);
  return [
    {
      files: ['**/*.ts'],
      languageOptions: { parser },
      plugins: { '@typescript-eslint': typescript, house: { rules: { environment, 'project-imports': projectImports(root) } } },
      linterOptions: { reportUnusedDisableDirectives: 'error' },
      rules: {
        eqeqeq: 'error',
        'prefer-const': 'error',
        'no-var': 'error',
        'no-empty': 'error',
        'no-console': 'error',
        'no-restricted-syntax': ['error', ...SHAPE],
        'no-restricted-imports': ['error', { patterns: [TEST_IMPORTS] }],
        'house/environment': 'error',
        'house/project-imports': 'error',
        '@typescript-eslint/no-explicit-any': 'error',
        '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' }],
        '@typescript-eslint/no-require-imports': 'error',
        '@typescript-eslint/ban-ts-comment': 'error',
      },
    },
    { files: filesOf('type:domain', 'type:pure'), ignores: TEST_FILES, rules: { 'no-restricted-syntax': ['error', ...SHAPE, ...CLOCK] } },
    {
      files: filesOf('type:pure'),
      ignores: TEST_FILES,
      rules: { 'no-restricted-imports': ['error', { patterns: [TEST_IMPORTS, IO_IMPORTS] }] },
    },
    { files: READERS_OF_THE_ENVIRONMENT, rules: { 'house/environment': 'off' } },
    {
      files: OUTSIDE,
      rules: { 'house/environment': 'off', 'no-restricted-imports': 'off', 'no-console': 'off', 'house/project-imports': 'off' },
    },
    // Their programs ask for a default export.
    { files: ['*.config.ts'], rules: { 'no-restricted-syntax': 'off' } },
  ];
}
