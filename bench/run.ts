import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { claim } from './claim';
import { fetchIdle } from './fetch-idle';
import { pickup } from './pickup';
import { endDescendants } from './process-tree';
import { printLoadAverage } from './table';

/** Each prints its tables and returns its last line, which begins with the figure. */
const BENCHES: Readonly<Record<string, (seconds: number, besideGitea: boolean) => Promise<string>>> = {
  'fetch-idle': fetchIdle,
  claim,
  pickup,
};

async function run(): Promise<void> {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { seconds: { type: 'string', default: '4' }, peer: { type: 'string' } } });
  const bench = BENCHES[positionals[0] ?? ''];
  const seconds = Number(values.seconds);
  if (!bench || !(seconds > 0) || (values.peer ?? 'gitea') !== 'gitea') {
    throw new Error(`usage: npm run bench -- ${Object.keys(BENCHES).join('|')} [--seconds N] [--peer gitea]`);
  }
  printLoadAverage('before');
  const figure = await bench(seconds, values.peer === 'gitea');
  printLoadAverage('after');
  console.log(figure);
}

/** What a bench starts has sessions of its own, which a Ctrl-C does not reach. */
function endOnSignal(signal: NodeJS.Signals): void {
  process.on(signal, () => {
    endDescendants(process.pid);
    process.exit(1);
  });
}

endOnSignal('SIGINT');
endOnSignal('SIGTERM');
run().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
