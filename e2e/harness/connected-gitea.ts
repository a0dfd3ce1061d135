import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AddedForge, ApiClient } from './api-client';
import { pushFiles } from './git';
import type { GiteaForge, GiteaRepository } from './gitea-forge';
import type { Installation } from './installation';

/** A step that waits for the file is let go on by `open`. */
interface Gate {
  readonly file: string;
  open(): Promise<void>;
}

/** What a commit went through under each context: pending and success, however often it was told that it is pending. */
type StatusHistory = Readonly<Record<string, readonly string[]>>;

/** A Gitea that is a forge of the installation, and what scenarios do with the two. */
export class ConnectedGitea {
  private pushes = 0;
  private readonly gates: Gate[] = [];

  private constructor(
    private readonly installation: Installation,
    readonly gitea: GiteaForge,
    readonly api: ApiClient,
    readonly connection: AddedForge,
  ) {}

  static async connect(installation: Installation, gitea: GiteaForge): Promise<ConnectedGitea> {
    const api = new ApiClient(installation);
    const { name: username, token } = gitea.bot;
    const connection = await api.addForge({ kind: 'gitea', name: 'gitea', url: gitea.url, username, token });
    return new ConnectedGitea(installation, gitea, api, connection);
  }

  /** A private repository whose pushes are reported to the installation. */
  async newRepository(name: string): Promise<GiteaRepository> {
    const repository = await this.gitea.createRepository(name);
    await this.gitea.addWebhook(repository, this.connection.webhook_url, this.connection.webhook_secret);
    return repository;
  }

  /** Commits these files on top of what was pushed before, pushes the branch and returns the commit. */
  push({ id, remote }: GiteaRepository, files: Readonly<Record<string, string>>): Promise<string> {
    this.pushes += 1;
    return pushFiles(this.workingCopy({ id }), remote, files, `commit ${this.pushes}`);
  }

  workingCopy({ id }: Pick<GiteaRepository, 'id'>): string {
    return this.file('copies', String(id));
  }

  async history(repository: GiteaRepository, sha: string): Promise<StatusHistory> {
    const history: Record<string, string[]> = {};
    for (const { context, status } of await this.gitea.statuses(repository, sha)) {
      const states = (history[context] ??= []);
      if (states.at(-1) !== status) states.push(status);
    }
    return history;
  }

  async newGate(name: string): Promise<Gate> {
    const file = this.file('gates', name);
    await mkdir(this.file('gates'), { recursive: true });
    const gate = { file, open: () => writeFile(file, '') };
    this.gates.push(gate);
    return gate;
  }

  /** So that no scenario that ended before its time keeps the runner from the next one. */
  async openGates(): Promise<void> {
    await Promise.all(this.gates.map((gate) => gate.open()));
  }

  /** A place below the folder that this Gitea's scenarios share. */
  file(...path: readonly string[]): string {
    return join(this.installation.workFolder, 'gitea-scenarios', ...path);
  }
}
