import { createHmac } from 'node:crypto';
import { addConnection, checkConnection, type NewConnection } from '@triphammer/forges';
import { secretBox } from '@triphammer/identity';
import { poolOf, transaction } from '@triphammer/models';
import { createTestDatabase, startTestService, TEST_SECRETS, type TestDatabase, type TestService } from '@triphammer/testing';
import { EventIngestModule } from './event-ingest.module';

export const WEBHOOK_SECRET = 'topsecret-topsecret';
export const A = 'a'.repeat(40);
export const B = 'b'.repeat(40);

/** A repository as Gitea describes it, as far as we look. */
export const REPOSITORY = { id: 7, owner: { id: 3, login: 'Acme' }, name: 'App', default_branch: 'main', private: false, archived: false };
export const PUSH = {
  ref: 'refs/heads/main',
  before: A,
  after: B,
  head_commit: { id: B, message: 'Fix the roof\n' },
  repository: REPOSITORY,
  pusher: { id: 1, login: 'dev' },
  sender: { id: 1, login: 'dev' },
};

/** The relay takes what is announced away at once; this keeps a note of it. */
const KEEP_ANNOUNCED = `
  create table announced (id int);
  create function keep_announced() returns trigger language plpgsql as $$
    begin
      insert into announced values ((new.payload->>'deliveryId')::int);
      return null;
    end $$;
  create trigger keep_announced after insert on outbox for each row when (new.event = 'forge-event.received') execute function keep_announced()`;

/** The feature as a process of its own on a database of its own, and what forges and people send to it. */
export class EventIngestHarness {
  private sent = 0;

  private constructor(
    readonly database: TestDatabase,
    readonly service: TestService,
  ) {}

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<EventIngestHarness> {
    const database = await createTestDatabase();
    await poolOf(database.dataSource).query(KEEP_ANNOUNCED);
    const service = await startTestService({ features: [EventIngestModule], database, settings: { PUBLIC_URL: 'https://ci.example.org', ...settings } });
    return new EventIngestHarness(database, service);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.database.drop();
  }

  /** A stored connection, without trying its address. */
  async connect(given: Partial<NewConnection> = {}): Promise<number> {
    const connection = checkConnection({
      kind: 'gitea',
      name: 'main',
      url: 'https://git.example.org',
      token: 'canary-token',
      secret: WEBHOOK_SECRET,
      ...given,
    });
    return (await transaction(this.database.dataSource, (tx) => addConnection(tx, secretBox(TEST_SECRETS.SECRET_KEY), connection))).id;
  }

  /** A webhook as Gitea sends it, signed, with a new delivery id; `headers` replace its own, and undefined leaves one out. */
  async deliver(connectionId: number | string, event: string, body: unknown, headers: Readonly<Record<string, string | undefined>> = {}) {
    this.sent += 1;
    const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
    const all = {
      'content-type': 'application/json',
      'x-gitea-delivery': `delivery-${this.sent}`,
      'x-gitea-event': event,
      'x-gitea-event-type': event,
      'x-gitea-signature': sign(bytes),
      ...headers,
    };
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const answer = await fetch(`${this.service.url}/webhooks/${connectionId}`, { method: 'POST', headers: Object.fromEntries(given), body: bytes });
    return { status: answer.status, body: (await answer.json()) as { delivery?: number; duplicate?: true; message?: string } };
  }

  /** Asks the API as the admin. */
  async call(method: string, path: string, body?: unknown, authorization = `Bearer ${TEST_SECRETS.ADMIN_TOKEN}`) {
    const answer = await fetch(`${this.service.url}/api/v1${path}`, {
      method,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  async rows<Row extends object>(query: string): Promise<readonly Row[]> {
    return (await poolOf(this.database.dataSource).query<Row>(query)).rows;
  }

  /** Deliveries that were announced for evaluation. */
  async announced(): Promise<readonly number[]> {
    return (await this.rows<{ id: number }>('select id from announced order by id')).map((row) => row.id);
  }

  /** Empties all tables of the feature. */
  async clear(): Promise<void> {
    await poolOf(this.database.dataSource).query(
      'delete from announced; delete from delivery; delete from repository; delete from owner; delete from forge_connection',
    );
  }
}

export function sign(body: Buffer, secret = WEBHOOK_SECRET): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}
