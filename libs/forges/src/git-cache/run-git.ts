import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Failure } from '@triphammer/foundation';

const MAX_STDERR_LENGTH = 8_192;

export interface GitRun {
  readonly args: readonly string[];
  /** The bare repository. */
  readonly gitDir: string;
  /** For this run alone; given by the environment, which other users of the machine cannot see as they can a command line. */
  readonly config?: readonly (readonly [key: string, value: string])[];
  /** Protocols that it may speak; none unless given. */
  readonly protocols?: string;
  readonly stdin?: string;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * Runs git without a shell, without anybody's configuration, hooks, prompts or lazy fetches. Throws `upstream-failed` when
 * it takes too long, `too-large` when it says too much, `unavailable` when it cannot be started.
 */
export function runGit(run: GitRun): Promise<GitResult> {
  // A process group of its own: fetch has children, and all of them have to end with it.
  const child = spawn('git', [...run.args], { env: environmentOf(run), detached: true });
  const reading = collect(child, run.maxOutputBytes);
  return new Promise((resolve, reject) => {
    const stop = (failure: Failure) => {
      killGroup(child);
      reject(failure);
    };
    const timer = setTimeout(() => stop(new Failure('upstream-failed', `git ${run.args[0]} took longer than ${run.timeoutMs / 1_000} s.`)), run.timeoutMs);
    reading.onTooLarge = () => stop(new Failure('too-large', `git ${run.args[0]} said more than ${run.maxOutputBytes} bytes.`));
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(new Failure('unavailable', 'git cannot be started; is it installed?', { cause: error }));
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? -1, stdout: Buffer.concat(reading.stdout), stderr: reading.stderr });
    });
    // It may end before it has read all; its exit code says so better.
    child.stdin.on('error', () => undefined);
    child.stdin.end(run.stdin ?? '');
  });
}

interface Reading {
  readonly stdout: Buffer[];
  stderr: string;
  onTooLarge: () => void;
}

function collect(child: ChildProcessWithoutNullStreams, maxBytes: number): Reading {
  const reading: Reading = { stdout: [], stderr: '', onTooLarge: () => undefined };
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) return reading.onTooLarge();
    reading.stdout.push(chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    reading.stderr = (reading.stderr + text).slice(-MAX_STDERR_LENGTH);
  });
  return reading;
}

function killGroup(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}

function environmentOf({ gitDir, config = [], protocols = '' }: GitRun): NodeJS.ProcessEnv {
  const settings = [['core.hooksPath', '/dev/null'], ['gc.auto', '0'], ['maintenance.auto', 'false'], ...config] as const;
  return {
    // Nothing else of our own: it holds secrets.
    PATH: process.env.PATH,
    LC_ALL: 'C',
    HOME: '/nonexistent',
    GIT_DIR: gitDir,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: protocols,
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
