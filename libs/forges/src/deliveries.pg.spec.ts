import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { poolOf, read, transaction } from '@triphammer/models';
import { createTestDatabase, fakeClock, type FakeClock, type TestDatabase } from '@triphammer/testing';
import { listDeliveries, readDeliveredEvent, readDelivery, recordTrace } from './deliveries';
import type { ForgeEvent } from './forge-event';
import { clear, FACTS, makeConnection, makeOwner, pushEvent } from './forges.harness';
import { ensureRepository } from './repositories';
import { storeDelivery, storeRefusedDelivery } from './store-delivery';

const [ZEROS, A, B, C] = ['0', 'a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string, string];
const MINUTE = 60_000;

let database: TestDatabase;
let clock: FakeClock;
let connectionId: number;
let repositoryId: number;
let keys = 0;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  clock = fakeClock();
  connectionId = await makeConnection(database.dataSource);
  const ownerId = await makeOwner(database.dataSource, 'Acme');
  repositoryId = await transaction(database.dataSource, (tx) => ensureRepository(tx, connectionId, FACTS, ownerId));
});
afterAll(() => database.drop());
afterEach(() => clear(database.dataSource));

describe('a delivery', () => {
  it('is stored once, however often and however concurrently it comes', async () => {
    const event = pushEvent({ before: A, after: B });

    const stored = await Promise.all(Array.from({ length: 12 }, () => store(event, 'same-key')));
    const again = await store(event, 'same-key');

    expect(stored.filter((delivery) => delivery.isNew)).toHaveLength(1);
    expect(new Set([...stored, again].map((delivery) => delivery.id)).size).toBe(1);
    expect(again).toMatchObject({ isNew: false, status: 'received', duplicateOf: null });
  });

  it('of another connection is another delivery, under the same key too', async () => {
    const other = await makeConnection(database.dataSource, { name: 'other' });
    const event = { ...pushEvent({ before: A, after: B }), repository: null };

    const stored = await Promise.all(
      [connectionId, other].map((id) =>
        transaction(database.dataSource, (tx) => storeDelivery(tx, { ...delivery(event, 'k'), connectionId: id, repositoryId: null }, clock.now())),
      ),
    );

    expect(stored.map((one) => one.isNew)).toEqual([true, true]);
  });

  it('keeps the exact bytes', async () => {
    const body = Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d, 0x00, 0xff]);

    const { id } = await transaction(database.dataSource, (tx) => storeDelivery(tx, { ...delivery(pushEvent({ before: A, after: B })), body }, clock.now()));

    expect(await database.dataSource.query('select body from delivery where id = $1', [id])).toEqual([{ body }]);
  });

  it.each([
    ['a test', pushEvent({ before: ZEROS, after: ZEROS, isTest: true, isDeleted: true, headCommitSha: null }), 'test-delivery'],
    ['without a repository', { ...pushEvent({ before: A, after: B }), repository: null, push: null, event: 'organization' }, 'no-repository'],
  ])('that is %s is evaluated on arrival and starts nothing', async (_what, event: ForgeEvent, code) => {
    const { id, status } = await store(event);

    expect(status).toBe('evaluated');
    expect(await readDelivery(poolOf(database.dataSource), id)).toMatchObject({ status: 'evaluated', trace: { code }, evaluatedAt: clock.now() });
  });

  it('is refused when its connection is gone', async () => {
    const stored = transaction(database.dataSource, (tx) =>
      storeDelivery(tx, { ...delivery(pushEvent({ before: A, after: B })), connectionId: 999 }, clock.now()),
    );

    await expect(stored).rejects.toMatchObject({ code: 'not-found' });
  });

  it('that cannot be read is kept with the reason', async () => {
    const unreadable = { connectionId, deliveryKey: 'k', eventName: 'push', event: null, repositoryId: null, body: Buffer.from('{') };

    const { id, status } = await transaction(database.dataSource, (tx) => storeRefusedDelivery(tx, unreadable, 'The body is not JSON.', clock.now()));

    expect(status).toBe('refused');
    expect(await readDelivery(poolOf(database.dataSource), id)).toMatchObject({
      event: 'push',
      status: 'refused',
      trace: { code: 'refused', text: 'The body is not JSON.' },
    });
  });
});

describe('the same push in another delivery', () => {
  it('is a duplicate of the first', async () => {
    const first = await store(pushEvent({ before: A, after: B }));
    clock.advance(9 * MINUTE);
    const replay = await store(pushEvent({ before: A, after: B }));

    expect(replay).toEqual({ id: expect.any(Number), isNew: true, status: 'duplicate', duplicateOf: first.id });
    expect(await readDelivery(poolOf(database.dataSource), replay.id)).toMatchObject({
      duplicateOf: first.id,
      trace: { code: 'duplicate', text: `Delivery ${first.id} reported this push already.` },
    });
  });

  it('is one push, however many replicas take it in at once', async () => {
    const stored = await Promise.all(Array.from({ length: 8 }, () => store(pushEvent({ before: A, after: B }))));

    expect(stored.map((one) => one.status).sort()).toEqual([...Array.from({ length: 7 }, () => 'duplicate'), 'received']);
  });

  it.each<readonly [string, readonly [ForgeEvent, ForgeEvent, ...ForgeEvent[]], boolean]>([
    ['after a newer push', [pushEvent({ before: A, after: B }), pushEvent({ before: B, after: C }), pushEvent({ before: A, after: B })], true],
    ['after it was moved back', [pushEvent({ before: A, after: B }), pushEvent({ before: B, after: A }), pushEvent({ before: A, after: B })], false],
    ['to another ref', [pushEvent({ before: A, after: B }), pushEvent({ before: A, after: B, ref: 'refs/heads/next' })], false],
    ['from elsewhere', [pushEvent({ before: A, after: B }), pushEvent({ before: C, after: B })], false],
    ['of a new branch', [pushEvent({ before: ZEROS, after: B }), pushEvent({ before: ZEROS, after: B })], true],
    [
      'of a new branch that was deleted in between',
      [pushEvent({ before: ZEROS, after: B }), deletion('refs/heads/main'), pushEvent({ before: ZEROS, after: B })],
      false,
    ],
    ['of a new tag that was deleted in between', [tag(ZEROS, B), tag(B, ZEROS), tag(ZEROS, B)], false],
    ['as a test', [pushEvent({ before: A, after: A, isTest: true }), pushEvent({ before: A, after: A, isTest: true })], false],
  ])('%s: a duplicate or not', async (_what, events, isDuplicate) => {
    const stored = [];
    for (const event of events) stored.push(await store(event));

    expect(stored.at(-1)?.status === 'duplicate').toBe(isDuplicate);
    expect(stored.slice(0, -1).map((one) => one.status)).not.toContain('duplicate');
  });

  it('is a new one after ten minutes', async () => {
    await store(pushEvent({ before: A, after: B }));
    clock.advance(10 * MINUTE);

    expect(await store(pushEvent({ before: A, after: B }))).toMatchObject({ status: 'received' });
  });
});

describe('the trace', () => {
  const TRACE = { code: 'evaluated', text: 'Two workflows.', workflows: [{ path: 'ci.yml', code: 'started', text: 'Started.', runId: 5 }] };
  const record = (id: number, text = TRACE.text) => transaction(database.dataSource, (tx) => recordTrace(tx, id, 'evaluated', { ...TRACE, text }, clock.now()));

  it('is written once, by whoever comes first', async () => {
    const { id } = await store(pushEvent({ before: A, after: B }));
    clock.advance(1_000);

    const written = await Promise.all([record(id, 'one'), record(id, 'two'), record(id, 'three')]);

    expect(written.filter(Boolean)).toHaveLength(1);
    expect(await readDelivery(poolOf(database.dataSource), id)).toMatchObject({
      status: 'evaluated',
      evaluatedAt: clock.now(),
      trace: { workflows: TRACE.workflows },
    });
  });

  it('of a duplicate is not overwritten', async () => {
    await store(pushEvent({ before: A, after: B }));
    const replay = await store(pushEvent({ before: A, after: B }));

    expect(await record(replay.id)).toBe(false);
  });
});

describe('stored deliveries', () => {
  it('are listed newest first, by page, connection, repository and commit', async () => {
    const sql = poolOf(database.dataSource);
    const other = await makeConnection(database.dataSource, { name: 'other' });
    const ids = [];
    for (const [before, after] of [
      [A, B],
      [B, C],
      [C, A],
    ] as const)
      ids.push((await store(pushEvent({ before, after }))).id);
    const elsewhere = await transaction(database.dataSource, (tx) =>
      storeDelivery(tx, { ...delivery({ ...pushEvent({ before: A, after: C }), repository: null }), connectionId: other, repositoryId: null }, clock.now()),
    );
    const list = async (filter: Parameters<typeof listDeliveries>[1], page = 1, limit = 10) => {
      const { deliveries, total } = await listDeliveries(sql, filter, { page, limit });
      return [deliveries.map((one) => one.id), total];
    };

    expect(await list({})).toEqual([[elsewhere.id, ids[2], ids[1], ids[0]], 4]);
    expect(await list({}, 2, 3)).toEqual([[ids[0]], 4]);
    expect(await list({ connectionId: other })).toEqual([[elsewhere.id], 1]);
    expect(await list({ repositoryId })).toEqual([[ids[2], ids[1], ids[0]], 3]);
    expect(await list({ sha: C })).toEqual([[elsewhere.id, ids[1]], 2]);
    expect(await list({ sha: C, repositoryId })).toEqual([[ids[1]], 1]);
    expect((await listDeliveries(sql, { repositoryId }, { page: 1, limit: 1 })).deliveries[0]).toEqual({
      id: ids[2],
      connectionId,
      connectionName: 'main',
      deliveryKey: expect.any(String),
      event: 'push',
      action: null,
      repositoryId,
      repositoryName: 'Acme/App',
      ref: 'refs/heads/main',
      sha: A,
      status: 'received',
      duplicateOf: null,
      receivedAt: clock.now(),
      evaluatedAt: null,
    });
  });

  it('are read for evaluation from their bytes', async () => {
    const payload = {
      ref: 'refs/heads/main',
      before: A,
      after: B,
      head_commit: { id: B, message: 'm' },
      repository: { id: 7, owner: { id: 3, login: 'Acme' }, name: 'App' },
    };
    const { id } = await transaction(database.dataSource, (tx) =>
      storeDelivery(tx, { ...delivery(pushEvent({ before: A, after: B })), body: Buffer.from(JSON.stringify(payload)) }, clock.now()),
    );

    const found = await readDeliveredEvent(read(database.dataSource), id);

    expect(found).toMatchObject({
      delivery: { id, repositoryId },
      connection: { id: connectionId, kind: 'gitea' },
      event: { event: 'push', push: { after: B, headCommitMessage: 'm' }, payload },
    });
    await expect(readDeliveredEvent(read(database.dataSource), 999_999)).rejects.toMatchObject({ code: 'not-found' });
  });
});

function delivery(event: ForgeEvent, deliveryKey = `key-${(keys += 1)}`) {
  return { connectionId, deliveryKey, eventName: event.event, event, repositoryId, body: Buffer.from('{}') };
}

function store(event: ForgeEvent, deliveryKey?: string) {
  return transaction(database.dataSource, (tx) => storeDelivery(tx, delivery(event, deliveryKey), clock.now()));
}

function deletion(ref: string): ForgeEvent {
  return { ...pushEvent({ before: A, after: B }), event: 'delete', ref, sha: null, push: null };
}

function tag(before: string, after: string): ForgeEvent {
  return pushEvent({ before, after, ref: 'refs/tags/v1', isTag: true, isDeleted: after === ZEROS });
}
