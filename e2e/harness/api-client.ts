import type { Installation } from './installation';
import { until } from './until';

const START_LIMIT_MS = 60_000;
const RUN_LIMIT_MS = 120_000;
const FINAL: ReadonlySet<string> = new Set(['success', 'failure', 'cancelled', 'skipped']);

export interface Run {
  readonly id: number;
  readonly run_number: number;
  readonly state: string;
  readonly status: string;
  readonly display_title: string;
  readonly head_sha: string;
  /** The workflow file, "@", and the ref. */
  readonly path: string;
  readonly workflow_name: string;
}

export interface Job {
  readonly id: number;
  readonly name: string;
  readonly state: string;
  readonly reason: string | null;
  readonly waiting: { readonly code: string; readonly text: string } | null;
  readonly runner_name?: string;
  readonly steps: readonly { readonly name: string; readonly status: string; readonly conclusion?: string }[];
}

export interface AddedForge {
  readonly id: number;
  readonly webhook_url: string;
  readonly webhook_secret: string;
  readonly hook_script?: string;
}

export interface DeliveryTrace {
  readonly id: number;
  readonly status: string;
  readonly sha: string | null;
  readonly trace: { readonly code: string; readonly text: string; readonly workflows?: readonly { readonly path: string; readonly code: string }[] } | null;
}

/** The API as a person's script would use it. */
export class ApiClient {
  constructor(private readonly installation: Pick<Installation, 'url' | 'adminToken'>) {}

  addForge(forge: Record<string, unknown>): Promise<AddedForge> {
    return this.call('POST', '/forges', forge);
  }

  async runs(repository: string): Promise<readonly Run[]> {
    const list = await this.call<{ workflow_runs: Run[] }>('GET', `/repos/${repository}/actions/runs?limit=50`);
    return list.workflow_runs;
  }

  /** The runs of a commit, in whatever repository. */
  async runsOf(sha: string): Promise<readonly Run[]> {
    const list = await this.call<{ workflow_runs: Run[] }>('GET', `/admin/actions/runs?head_sha=${sha}`);
    return list.workflow_runs;
  }

  /** Waits for the first run of a commit. */
  runOf(repository: string, sha: string): Promise<Run> {
    return until(`the run of ${sha} in ${repository}`, START_LIMIT_MS, async () => (await this.runs(repository)).find((run) => run.head_sha === sha));
  }

  /** Waits for the run's end and returns it with its jobs. */
  async finished(repository: string, { id }: Run): Promise<{ readonly run: Run; readonly jobs: readonly Job[] }> {
    const run = await until(`run ${id} of ${repository} to end`, RUN_LIMIT_MS, async () => {
      const now = await this.run(repository, id);
      return FINAL.has(now.state) ? now : undefined;
    });
    return { run, jobs: await this.jobs(repository, id) };
  }

  run(repository: string, id: number): Promise<Run> {
    return this.call('GET', `/repos/${repository}/actions/runs/${id}`);
  }

  async jobs(repository: string, runId: number): Promise<readonly Job[]> {
    const list = await this.call<{ jobs: Job[] }>('GET', `/repos/${repository}/actions/runs/${runId}/jobs?limit=50`);
    return list.jobs;
  }

  async log(repository: string, jobId: number): Promise<string> {
    const response = await this.request('GET', `/repos/${repository}/actions/jobs/${jobId}/logs`);
    return response.text();
  }

  async deliveries(query = ''): Promise<readonly DeliveryTrace[]> {
    const list = await this.call<readonly { id: number }[]>('GET', `/deliveries?limit=50${query}`);
    return Promise.all(list.map(({ id }) => this.call<DeliveryTrace>('GET', `/deliveries/${id}`)));
  }

  async request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const response = await fetch(`${this.installation.url}/api/v1${path}`, {
      method,
      headers: { authorization: `token ${this.installation.adminToken}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${(await response.text()).slice(0, 500)}`);
    return response;
  }

  async call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await this.request(method, path, body);
    return (await response.json()) as Answer;
  }
}
