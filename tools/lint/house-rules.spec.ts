import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import { readProjects } from '../projects';
import { houseRules } from './house-rules';

const ROOT = join(__dirname, '../..');
const CONFIG = houseRules(ROOT, readProjects(ROOT));

const ANYWHERE = 'libs/features/task-dispatcher/src/fetch-task.ts';
const DOMAIN = 'libs/runs/src/pick.ts';
const PURE = 'libs/workflows/src/plan-jobs.ts';

describe('the house rules', () => {
  it.each([
    ['a default export', ANYWHERE, 'export default 1;', 'no-restricted-syntax'],
    ['an export of everything', ANYWHERE, "export * from './other';", 'no-restricted-syntax'],
    ['an enum', ANYWHERE, 'export enum Status { Waiting }', 'no-restricted-syntax'],
    ['an I before an interface', ANYWHERE, 'export interface IRunner { id: number }', 'no-restricted-syntax'],
    ['a manager', ANYWHERE, 'export class RunManager {}', 'no-restricted-syntax'],
    ['the environment', ANYWHERE, 'export const port = process.env.PORT;', 'house/environment'],
    ["a test's own help", ANYWHERE, "export { seed } from './seed.harness';", 'no-restricted-imports'],
    ['the time in a domain', DOMAIN, 'export const now = () => new Date();', 'no-restricted-syntax'],
    ['the time in a pure lib', PURE, 'export const now = () => Date.now();', 'no-restricted-syntax'],
    ['a file in a pure lib', PURE, "export { readFileSync } from 'node:fs';", 'no-restricted-imports'],
    ['the entities of a domain in a feature', ANYWHERE, "export { Job } from '@triphammer/models/runs';", 'house/project-imports'],
    ['any', ANYWHERE, 'export const x: any = 1;', '@typescript-eslint/no-explicit-any'],
    ['what nobody uses', ANYWHERE, 'const x = 1;\nexport {};', '@typescript-eslint/no-unused-vars'],
    ['a word on the terminal', ANYWHERE, "console.log('here');", 'no-console'],
    ['a lint directive that switches nothing off', ANYWHERE, '// eslint-disable-next-line no-console\nexport const x = 1;', null],
  ])('refuse %s', (_what, file, code, rule) => {
    expect(rulesBroken(file, code)).toEqual([rule]);
  });

  it.each([
    ['the environment at the start', 'libs/platform/src/start.ts', 'export const config = load(process.env);'],
    ['the environment in the CLI, which is not a service', 'apps/cli/src/main.ts', 'export const config = load(process.env);'],
    ['the environment in a test', 'libs/runs/src/pick.spec.ts', 'export const url = process.env.TEST_POSTGRES_URL;'],
    ['the time in a feature', ANYWHERE, 'export const now = () => new Date();'],
    ['a given time in a domain', DOMAIN, 'export const end = (start: Date) => new Date(start.getTime() + 1);'],
    ['a domain of the digest', DOMAIN, "export { createHash } from 'node:crypto';"],
    ['a default export where a program asks for it', 'jest.config.ts', 'export default {};'],
    ['an interface whose first word begins with I', ANYWHERE, 'export interface Inbox { id: number }'],
  ])('allow %s', (_what, file, code) => {
    expect(rulesBroken(file, code)).toEqual([]);
  });
});

function rulesBroken(file: string, code: string): (string | null)[] {
  return new Linter({ cwd: ROOT }).verify(code, CONFIG, join(ROOT, file)).map(({ ruleId }) => ruleId);
}
