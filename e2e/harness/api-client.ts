import type { Installation } from './installation';

export interface Run {
  readonly id: number;
  readonly run_number: number;
  readonly state: string;
  readonly status: string;
  readonly display_title: string;
  readonly head_sha: string;
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
    const found = await this.call<readonly { id: number }[] | { deliveries: readonly { id: number }[] }>('GET', `/deliveries?limit=50${query}`);
    const list = 'deliveries' in found ? found.deliveries : found;
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
