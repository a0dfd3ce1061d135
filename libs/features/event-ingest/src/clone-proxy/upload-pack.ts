import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { Logger } from '@nestjs/common';
import { Failure } from '@triphammer/foundation';

/** Each makes a pack on a core of its own, with hundreds of megabytes for a large repository. */
export const MAX_UPLOAD_PACKS = 32;
const MAX_STDERR_LENGTH = 4_096;

const log = new Logger('CloneProxy');

export interface UploadPack {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** The exit code; `null` when a signal ended it, or it could not be started. Never rejects. */
  readonly ended: Promise<number | null>;
  /** Ends the process, and its output with it. */
  stop(): void;
}

/** The `git upload-pack` processes of this process. */
export class UploadPacks {
  private running = 0;

  /** One exchange with the repository in the folder `path`. Throws `unavailable` when too many are under way. */
  start(path: string, kind: 'advertisement' | 'result', protocol: string | undefined): UploadPack {
    if (this.running >= MAX_UPLOAD_PACKS) {
      throw new Failure('unavailable', `${MAX_UPLOAD_PACKS} clones are being served, which is the limit. Try again in a moment.`);
    }
    const phase = kind === 'advertisement' ? ['--advertise-refs'] : [];
    const child = spawn('git', ['upload-pack', '--stateless-rpc', ...phase, path], { env: environment(path, protocol) });
    this.running += 1;
    // A process that ends early breaks the pipe; its end says so better.
    child.stdin.on('error', () => undefined);
    const stopping = new AbortController();
    const stop = () => {
      stopping.abort();
      child.kill();
      // Unread output would keep `close` back for ever.
      child.stdout.destroy();
    };
    return { stdin: child.stdin, stdout: child.stdout, ended: this.endOf(child, path, stopping.signal), stop };
  }

  private endOf(child: ChildProcessWithoutNullStreams, path: string, stopped: AbortSignal): Promise<number | null> {
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(0, MAX_STDERR_LENGTH);
    });
    child.once('error', (error) => {
      stderr = error.message;
    });
    return new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.running -= 1;
        if (code !== 0 && !stopped.aborted) log.warn({ message: 'git upload-pack failed', path, code, signal, stderr });
        // `close` also follows a failed start, then with a negative code.
        resolve(code !== null && code < 0 ? null : code);
      });
    });
  }
}

/** Nothing of our own environment but PATH: it holds secrets. No HOME, so no user's configuration either. */
function environment(path: string, protocol: string | undefined): NodeJS.ProcessEnv {
  const settings = [
    // The folder belongs to whoever owns the repositories; an administrator has named it. Git compares with the folder that holds the objects.
    ['safe.directory', path],
    ['safe.directory', `${path}/.git`],
    // Checkout fetches by commit id, a rerun also a commit that a force push took off its branch.
    ['uploadpack.allowAnySHA1InWant', 'true'],
    ['uploadpack.allowFilter', 'true'],
  ] as const;
  return {
    PATH: process.env.PATH,
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
    ...(protocol === undefined ? {} : { GIT_PROTOCOL: protocol }),
  };
}
