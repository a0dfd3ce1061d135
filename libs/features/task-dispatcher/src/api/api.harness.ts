import { mountApi } from '@triphammer/api-kit';
import { loadConfig } from '@triphammer/config';
import { authorizeAdmin } from '@triphammer/identity';
import { transaction } from '@triphammer/models';
import { claimJobs, createRegistrationToken, labelKey, type NewJob, registerRunner, startRun } from '@triphammer/runs';
import { createTestDatabase, type FakeClock, fakeClock, type TestDatabase, TEST_SECRETS } from '@triphammer/testing';
import fastify, { type FastifyInstance } from 'fastify';
import { TASK_DISPATCHER_API } from './task-dispatcher-api';

export interface Home {
  readonly ownerId: number;
  readonly repositoryId: number;
}

/** The API on a database of its own, and what puts something there to be read. */
export class ApiHarness {
  readonly clock: FakeClock = fakeClock();
  private deliveries = 0;

  private constructor(
    readonly database: TestDatabase,
    readonly server: FastifyInstance,
  ) {}

  static async start(): Promise<ApiHarness> {
    const database = await createTestDatabase();
    const server = fastify();
    const harness = new ApiHarness(database, server);
    const settings = { DATABASE: database.url, PUBLIC_URL: 'https://ci.example.com', ...TEST_SECRETS };
    const config = loadConfig(settings, () => '');
    mountApi(server, {
      routes: TASK_DISPATCHER_API,
      deps: { dataSource: database.dataSource, config, clock: harness.clock },
      authorize: authorizeAdmin(config.secrets.adminToken),
      publicUrl: config.network.publicUrl,
    });
    await server.ready();
    return harness;
  }

  async stop(): Promise<void> {
    await this.server.close();
    await this.database.drop();
  }

  /** Asks as the admin; the path is below `/api/v1`. */
  async call(method: 'GET' | 'POST' | 'DELETE', path: string) {
    const answer = await this.server.inject({ method, url: `/api/v1${path}`, headers: { authorization: `Bearer ${TEST_SECRETS.ADMIN_TOKEN}` } });
    return { status: answer.statusCode, headers: answer.headers, body: answer.body === '' ? undefined : answer.json() };
  }

  async seedRepository(owner: string, name: string): Promise<Home> {
    return transaction(this.database.dataSource, async (tx) => {
      await tx.sql.query({ text: 'insert into owner (name, lower_name) values ($1, lower($1)) on conflict do nothing', values: [owner] });
      const added = await tx.sql.query<Home>({
        text: `insert into repository (owner_id, connection_id, forge_repository_id, forge_full_name, name, lower_name, default_branch, is_private)
               select id, 1, $2, $2, $2, lower($2), 'main', true from owner where lower_name = lower($1) returning owner_id as "ownerId", id as "repositoryId"`,
        values: [owner, name],
      });
      return added.rows[0] as Home;
    });
  }

  async seedRun(home: Home, jobs: readonly (Pick<NewJob, 'key'> & Partial<NewJob>)[], ref = 'refs/heads/main'): Promise<number> {
    this.deliveries += 1;
    const run = {
      ...home,
      deliveryId: this.deliveries,
      workflow: 'ci.yml',
      workflowFolder: '.gitea/workflows',
      workflowName: 'CI',
      title: 'Fix the roof',
      event: 'push',
      eventPayload: {},
      ref,
      sha: 'a'.repeat(40),
      actor: 'ada',
      jobs: jobs.map((job) => ({ ...DEFAULT_JOB, name: job.key, payload: payloadOf(job.key), ...job })),
    };
    return (await transaction(this.database.dataSource, (tx) => startRun(tx, run, this.clock.now()))) as number;
  }

  async seedRunner(name: string, labels: readonly string[] = ['linux'], scope: Partial<Home> = {}): Promise<number> {
    return transaction(this.database.dataSource, async (tx) => {
      const token = await createRegistrationToken(tx, { ownerId: scope.ownerId ?? null, repositoryId: scope.repositoryId ?? null }, this.clock.now());
      const registration = { token, name, labels, capabilities: [], version: 'v1.0.8', ephemeral: false };
      return (await registerRunner(tx, registration, this.clock.now())).runner.id;
    });
  }

  /** Hands the oldest job that waits for `linux` to the runner. */
  async claim(runnerId: number): Promise<{ taskId: number; jobId: number }> {
    const [claimed] = await transaction(this.database.dataSource, (tx) =>
      claimJobs(tx, labelKey(['linux']), { ownerId: null, repositoryId: null }, [{ runnerId, requestKey: null }], this.clock.now()),
    );
    return claimed as { taskId: number; jobId: number };
  }
}

const DEFAULT_JOB = { statusContext: null, needs: [], condition: null, labels: ['linux'], continueOnError: false, timeoutMinutes: 60 } as const;

function payloadOf(key: string): string {
  return JSON.stringify({ jobs: { [key]: { steps: [{ name: 'Check out', uses: 'actions/checkout@v4' }, { run: 'make\nmake test' }] } } });
}
