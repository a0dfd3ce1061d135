import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Installation } from './installation';
import { ManagedProcess } from './managed-process';
import { tool } from './tools';

const run = promisify(execFile);

export interface RunnerOptions {
  readonly name: string;
  /** As the runner is told them, with their schema: `linux:host`. */
  readonly labels: readonly string[];
  readonly ephemeral?: boolean;
}

/** A real Gitea runner in host mode, registered and running, that listens all the time (it holds its polls). */
export async function startRunner(installation: Installation, options: RunnerOptions): Promise<ManagedProcess> {
  const folder = join(installation.workFolder, 'runners', options.name);
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'config.yaml'),
    [
      'log: {level: info}',
      `runner: {file: .runner, capacity: 1, timeout: 3h, fetch_timeout: 55s, fetch_interval: 1s, fetch_interval_max: 1s, labels: ${JSON.stringify(options.labels)}}`,
      'cache: {enabled: false}',
      `host: {workdir_parent: ${JSON.stringify(join(folder, 'work'))}}`,
      '',
    ].join('\n'),
  );
  const binary = tool('GITEA_RUNNER');
  const registration = ['register', '--no-interactive', '--config', 'config.yaml', '--instance', installation.url, '--token', installation.registrationToken];
  await run(binary, [...registration, '--name', options.name, '--labels', options.labels.join(','), ...(options.ephemeral ? ['--ephemeral'] : [])], {
    cwd: folder,
  });
  const daemon = new ManagedProcess({
    name: `runner ${options.name}`,
    command: binary,
    args: ['daemon', '--config', 'config.yaml'],
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '' },
    logFile: join(folder, 'daemon.log'),
  });
  await daemon.start();
  return daemon;
}
