import { join } from 'node:path';
import { CommandError } from './command-error';
import type { Terminal } from './terminal';

export interface ServerAddress {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string;
}

const DEFAULT_URL = 'http://127.0.0.1:3000';
const TOKEN_FILE = 'admin-token';

/** Where the API is and what to say to it: by option, by environment, or where an all-in-one on this machine keeps its token. */
export async function findServer(
  terminal: Terminal,
  given: { readonly url?: string | undefined; readonly tokenFile?: string | undefined },
): Promise<ServerAddress> {
  const url = given.url ?? (terminal.environment['TRIPHAMMER_URL'] || DEFAULT_URL);
  if (!/^https?:\/\/[^\s]+$/.test(url) || !URL.canParse(url))
    throw new CommandError(`"${url}" is no http or https address. Set TRIPHAMMER_URL, or give --url.`);
  return { url: url.replace(/\/+$/, ''), token: await findToken(terminal, given.tokenFile) };
}

async function findToken(terminal: Terminal, file: string | undefined): Promise<string> {
  if (file !== undefined) return readToken(terminal, file);
  const fromEnvironment = terminal.environment['TRIPHAMMER_TOKEN']?.trim();
  if (fromEnvironment) return fromEnvironment;
  const kept = join(dataFolder(terminal), TOKEN_FILE);
  try {
    return (await terminal.readFile(kept)).trim();
  } catch {
    throw new CommandError(
      `There is no token: TRIPHAMMER_TOKEN is not set, and ${kept} cannot be read. Set TRIPHAMMER_TOKEN to the admin token, or give --token-file.`,
    );
  }
}

/** The secret in a file, or in what is piped in when the file is `-`. */
export async function readToken(terminal: Terminal, file: string): Promise<string> {
  const token = (await (file === '-' ? terminal.readInput() : readOrExplain(terminal, file))).trim();
  if (token === '') throw new CommandError(`${file === '-' ? 'What was piped in' : file} holds no token.`);
  return token;
}

async function readOrExplain(terminal: Terminal, file: string): Promise<string> {
  try {
    return await terminal.readFile(file);
  } catch (error) {
    throw new CommandError(`The token file cannot be read: ${(error as Error).message}`);
  }
}

/** As the server chooses it. */
function dataFolder({ environment, isRoot }: Terminal): string {
  const named = environment['DATA_DIR'];
  if (named) return named;
  return isRoot ? '/var/lib/triphammer' : join(environment['HOME'] ?? '', '.local', 'share', 'triphammer');
}
