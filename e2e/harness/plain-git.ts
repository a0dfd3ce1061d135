import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiClient, type Job, type Run } from './api-client';
import { makeBareRepository, pushFiles } from './git';
import type { Installation } from './installation';

/** A folder of bare repositories that is connected as a plain git forge, each with the hook script that the product ships. */
export class PlainGitForge {
  private pushes = 0;

  private constructor(
    private readonly installation: Installation,
    private readonly root: string,
    private readonly hook: string,
    readonly api: ApiClient,
  ) {}

  static async connect(installation: Installation, name = 'plain'): Promise<PlainGitForge> {
    const root = join(installation.workFolder, 'git');
    await mkdir(root, { recursive: true });
    const api = new ApiClient(installation);
    const forge = await api.addForge({ kind: 'git', name, url: root });
    if (!forge.hook_script) throw new Error('the new forge came without its hook script');
    return new PlainGitForge(installation, root, forge.hook_script, api);
  }

  /** Makes a repository with this workflow and pushes it; the push starts the run that is returned. */
  async pushWorkflow(fullName: string, workflow: string, files: Readonly<Record<string, string>> = {}): Promise<Run> {
    const bare = await makeBareRepository(this.root, fullName, this.hook);
    const sha = await this.push(fullName, bare, { '.gitea/workflows/ci.yml': workflow, ...files });
    return this.runOf(fullName, sha);
  }

  async push(fullName: string, remote: string, files: Readonly<Record<string, string>>): Promise<string> {
    this.pushes += 1;
    const copy = join(this.installation.workFolder, 'copies', fullName);
    return pushFiles(copy, remote, files, `commit ${this.pushes}`);
  }

  bareRepository(fullName: string): Promise<string> {
    return makeBareRepository(this.root, fullName, this.hook);
  }

  workingCopy(fullName: string): string {
    return join(this.installation.workFolder, 'copies', fullName);
  }

  runOf(fullName: string, sha: string): Promise<Run> {
    return this.api.runOf(fullName, sha);
  }

  /** Waits for the run's end and returns it with its jobs. */
  finished(fullName: string, run: Run): Promise<{ readonly run: Run; readonly jobs: readonly Job[] }> {
    return this.api.finished(fullName, run);
  }
}
