import { migrateOnly, start } from '@triphammer/platform';
import { FEATURES } from './features';
import { greet } from './greet';

const COMMANDS: Readonly<Record<string, () => Promise<void>>> = {
  serve: () => start({ name: 'triphammer', features: FEATURES, migrations: 'run', onReady: greet }),
  migrate: () => migrateOnly('migrate'),
};

const name = process.argv[2] ?? 'serve';
const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
if (command) {
  void command();
} else {
  process.stderr.write(`There is no command "${name}". Use one of: ${Object.keys(COMMANDS).join(', ')}.\n`);
  process.exitCode = 2;
}
