import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Each is an npm script that can be run alone. The long ones stand first: two run at a time. */
const STAGES = [
  { name: 'lint and boundaries', script: 'lint' },
  { name: 'types', script: 'types' },
  { name: 'generated files', script: 'check:generated' },
  { name: 'dead code', script: 'check:dead-code' },
  { name: 'format', script: 'check:format' },
  { name: 'file names', script: 'check:file-names' },
] as const;
const AT_A_TIME = 2;

type Stage = (typeof STAGES)[number];

interface Outcome {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly output: string;
}

/** `npm run check`: runs all stages, also behind one that fails, and ends with code 1 when any did. */
async function check(): Promise<void> {
  const waiting: Stage[] = [...STAGES];
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (let stage = waiting.shift(); stage; stage = waiting.shift()) {
      const outcome = await run(stage);
      outcomes.push(outcome);
      process.stdout.write(`${outcome.passed ? 'ok  ' : 'FAIL'}  ${outcome.seconds.toFixed(1).padStart(5)} s  ${outcome.name}\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  const failures = outcomes.filter(({ passed }) => !passed);
  for (const { name, output } of failures) process.stdout.write(`\n--- ${name}\n${output.trim()}\n`);
  process.stdout.write(`\n${outcomes.length - failures.length} passed, ${failures.length} failed\n`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

async function run({ name, script }: Stage): Promise<Outcome> {
  const begun = performance.now();
  const child = spawn('npm', ['run', '--silent', script], { cwd: join(__dirname, '..'), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { name, passed: code === 0, seconds: (performance.now() - begun) / 1000, output };
}

void check();
