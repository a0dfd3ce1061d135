import { runCli } from './cli';
import { processTerminal } from './terminal';

// `triphammer run list | head` closes the pipe early, which is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

void runCli(process.argv.slice(2), processTerminal).then((code) => {
  process.exitCode = code;
});
