import { RuleTester } from 'eslint';
import { environment } from './environment';

const errors = [{ messageId: 'environment' }];

new RuleTester().run('environment', environment, {
  valid: [
    { name: "a child's PATH is no setting", code: 'spawn("git", [], { env: { PATH: process.env.PATH } });' },
    { name: 'other facts of the process', code: 'const { argv } = process; export const pid = process.pid;' },
  ],
  invalid: [
    { name: 'a setting', code: 'export const port = process.env.PORT;', errors },
    { name: 'a setting by a computed name', code: 'export const get = (name) => process.env[name];', errors },
    { name: 'all settings', code: 'start(process.env);', errors },
    { name: 'PATH by a computed name', code: 'const PATH = "PORT"; export const port = process.env[PATH];', errors },
    { name: 'taken apart', code: 'export const { env } = process;', errors },
    { name: 'imported', code: "import { env } from 'node:process'; export const port = env.PORT;", errors },
  ],
});
