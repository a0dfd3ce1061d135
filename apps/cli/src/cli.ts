import { Command, CommanderError } from 'commander';
import { ApiClient } from './api-client';
import { Call, type CliCommand } from './command';
import { CommandError } from './command-error';
import { DELIVERY_COMMANDS } from './delivery-commands';
import { FORGE_COMMANDS } from './forge-commands';
import { JOB_COMMANDS } from './job-commands';
import { RUN_COMMANDS } from './run-commands';
import { RUNNER_COMMANDS } from './runner-commands';
import { findServer } from './server-address';
import type { Terminal } from './terminal';

const COMMANDS: readonly CliCommand[] = [...FORGE_COMMANDS, ...DELIVERY_COMMANDS, ...RUN_COMMANDS, ...JOB_COMMANDS, ...RUNNER_COMMANDS];

const GROUPS: Readonly<Record<string, string>> = {
  forge: 'forges whose webhooks are taken',
  delivery: 'webhooks that came, and what became of them',
  run: 'runs of workflows',
  job: 'jobs of runs',
  runner: 'runners that take jobs',
  'registration-token': 'tokens with which runners register',
};

/** Runs one command line and returns its exit code. Whatever fails is one message, without a stack and without a secret. */
export async function runCli(argv: readonly string[], terminal: Terminal): Promise<number> {
  let code = 0;
  const program = createProgram(terminal, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has said what is wrong.
    if (error instanceof CommanderError) return error.exitCode;
    terminal.err(`${error instanceof CommandError ? error.message : `This went wrong, and should not: ${(error as Error).message}`}\n`);
    return 1;
  }
}

function createProgram(terminal: Terminal, onEnd: (code: number) => void): Command {
  const program = new Command('triphammer')
    .description(
      'Talks to a Triphammer server. It is found at TRIPHAMMER_URL, and TRIPHAMMER_TOKEN is its admin token; on the machine of an all-in-one neither is needed.',
    )
    // So that `--url` behind `forge add` is the forge's.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .showHelpAfterError('(--help says more)');
  addCommonOptions(program);
  const groups = new Map(Object.entries(GROUPS).map(([name, summary]) => [name, program.command(name).description(summary)]));
  for (const spec of COMMANDS) addCommand(groups.get(spec.group) as Command, program, spec, terminal, onEnd);
  return program;
}

function addCommand(group: Command, program: Command, spec: CliCommand, terminal: Terminal, onEnd: (code: number) => void): void {
  const command = group.command(spec.usage).description(spec.summary);
  for (const { flags, summary, isRequired } of spec.options ?? []) {
    if (isRequired) command.requiredOption(flags, summary);
    else command.option(flags, summary);
  }
  if (spec.ownsAddress) command.option('--json', JSON_TEXT);
  else addCommonOptions(command);
  command.action(async () => {
    const options: CommonOptions & Record<string, unknown> = command.opts();
    const common = spec.ownsAddress
      ? { ...program.opts<CommonOptions>(), ...(options.json ? { json: true } : {}) }
      : { ...program.opts<CommonOptions>(), ...options };
    const client = new ApiClient(await findServer(terminal, common));
    onEnd((await spec.work(new Call(client, terminal, common.json === true, { arguments: command.args, options }))) ?? 0);
  });
}

interface CommonOptions {
  readonly url?: string;
  readonly tokenFile?: string;
  readonly json?: boolean;
}

const JSON_TEXT = 'answer in JSON';

function addCommonOptions(command: Command): void {
  command.option('--url <url>', 'address of Triphammer').option('--token-file <file>', 'file that holds its admin token').option('--json', JSON_TEXT);
}
