import type { ApiClient } from './api-client';
import { CommandError } from './command-error';
import type { Terminal } from './terminal';

/** One command as data; `cli.ts` makes commander's of it. */
export interface CliCommand {
  /** `run` in `triphammer run list`. */
  readonly group: string;
  /** Its name and arguments: `show <run>`. */
  readonly usage: string;
  readonly summary: string;
  readonly options?: readonly CliOption[];
  /** Its `--url` and `--token-file` are not those of Triphammer itself, which stand before the command then. */
  readonly ownsAddress?: true;
  /** Returns the exit code when it is not 0. */
  readonly work: (call: Call) => Promise<number | void>;
}

export interface CliOption {
  /** `--repo <owner/name>`; a flag without a value is on or off. */
  readonly flags: string;
  readonly summary: string;
  readonly isRequired?: true;
}

/** One call of a command: what was asked, of which server, and where the answer goes. */
export class Call {
  constructor(
    readonly client: ApiClient,
    readonly terminal: Terminal,
    readonly isJson: boolean,
    private readonly values: { readonly arguments: readonly string[]; readonly options: Readonly<Record<string, unknown>> },
  ) {}

  /** The first argument: the thing that the command is about. */
  get subject(): string {
    return this.values.arguments[0] ?? '';
  }

  /** By its name in camel case: `tokenFile`. */
  option(name: string): string | undefined {
    const value = this.values.options[name];
    return typeof value === 'string' ? value : undefined;
  }

  flag(name: string): boolean {
    return this.values.options[name] === true;
  }

  /** Gives the answer to a program, or its text to a person. */
  show(answer: unknown, text: string): void {
    this.terminal.out(this.isJson ? `${JSON.stringify(answer, null, 2)}\n` : text);
  }
}

/** `/repos/owner/name`, from how a person writes it. */
export function repositoryPath(name: string): string {
  const parts = name.split('/');
  if (parts.length !== 2 || parts.includes('')) throw new CommandError(`"${name}" is no repository. Write it as owner/name.`);
  return `/repos/${parts.map(encodeURIComponent).join('/')}`;
}

/** The number that a person gave for a thing. */
export function idOf(text: string, what: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new CommandError(`"${text}" is no ${what}. Give its number.`);
  return Number(text);
}
