import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { transaction, type Tx } from '@triphammer/models';
import { createTestDatabase, fakeClock, type FakeClock, type TestDatabase } from '@triphammer/testing';
import { type DueStatus, markFailed, markPosted, POSTING_LIMIT_MS, takeDueStatuses, type WantedStatus, wantStatus } from './commit-statuses';
import { clear, FACTS, makeOwner } from './forges.harness';
import { ensureRepository } from './repositories';

const TRANSIENT = { isFinal: false, retryAfterMs: null, reason: 'It answered 502.' };

let database: TestDatabase;
let clock: FakeClock;
let pending: WantedStatus;
let success: WantedStatus;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  clock = fakeClock();
  const ownerId = await makeOwner(database.dataSource, 'Acme');
  const repositoryId = await inTx((tx) => ensureRepository(tx, 4, FACTS, ownerId));
  pending = { repositoryId, sha: 'a'.repeat(40), context: 'ci / a (push)', jobId: 10, state: 'pending', description: 'In progress', targetUrl: 'https://ci/1' };
  success = { ...pending, state: 'success', description: 'Successful in 5s' };
});
afterAll(() => database.drop());
afterEach(() => clear(database.dataSource));

describe('a wanted status', () => {
  it('is due with all that telling it takes, and not again once it was told', async () => {
    await want(pending);

    const due = await take();

    expect(due).toEqual([{ ...pending, id: expect.any(Number), revision: 1, attempts: 0, connectionId: 4, forgeRepositoryId: '7', forgeFullName: 'Acme/App' }]);
    await posted(due[0]);
    clock.advance(POSTING_LIMIT_MS * 2);
    expect(await take()).toEqual([]);
  });

  it('is told again only when something changed', async () => {
    expect(await want(pending)).toBe(true);
    await posted((await take())[0]);

    expect(await want(pending)).toBe(false);
    expect(await take()).toEqual([]);
    expect(await want(success)).toBe(true);
    expect(await take()).toMatchObject([{ state: 'success', revision: 2 }]);
  });

  it('is told in its newest form alone', async () => {
    await want(pending);
    await want(success);

    expect(await take()).toMatchObject([{ state: 'success', revision: 2 }]);
  });

  it('goes over to a later job, never back to an earlier one', async () => {
    await want({ ...success, jobId: 20 });

    expect(await want({ ...pending, jobId: 10 })).toBe(false);
    expect(await want({ ...pending, jobId: 30, targetUrl: 'https://ci/3' })).toBe(true);
    expect(await take()).toMatchObject([{ jobId: 30, state: 'pending' }]);
  });

  it('ends as the latest job’s, whatever the order in which replicas say so', async () => {
    await Promise.all([14, 11, 19, 12, 18, 13].map((jobId) => want({ ...pending, jobId, targetUrl: `https://ci/${jobId}` })));

    expect(await take()).toMatchObject([{ jobId: 19, targetUrl: 'https://ci/19' }]);
  });

  it('of another context or commit is another status', async () => {
    await want(pending);
    await want({ ...pending, context: 'ci / b (push)' });
    await want({ ...pending, sha: 'b'.repeat(40) });

    expect(await take()).toHaveLength(3);
  });
});

describe('taking due statuses', () => {
  it('gives each to one replica', async () => {
    for (let index = 0; index < 30; index += 1) await want({ ...pending, context: `c${index}` });

    const taken = await Promise.all(Array.from({ length: 6 }, () => take(10)));

    expect(taken.flat()).toHaveLength(30);
    expect(new Set(taken.flat().map((status) => status.id)).size).toBe(30);
  });

  it('puts final states before pending ones', async () => {
    await want({ ...pending, context: 'first' });
    clock.advance(1_000);
    await want({ ...success, context: 'second' });

    expect(await take(1)).toMatchObject([{ context: 'second' }]);
  });

  it('lets no second post of a context begin while one is under way, and then tells the change', async () => {
    await want(pending);
    const [first] = await take();
    await want(success);

    expect(await take()).toEqual([]);
    await posted(first);
    expect(await take()).toMatchObject([{ state: 'success', revision: 2 }]);
  });

  it('gives up on a replica that says nothing more', async () => {
    await want(pending);
    await take();
    clock.advance(POSTING_LIMIT_MS - 1);
    expect(await take()).toEqual([]);

    clock.advance(1);

    expect(await take()).toMatchObject([{ state: 'pending' }]);
  });
});

describe('a status that the forge refused', () => {
  it('is due again after a while, and each failure counts', async () => {
    await want(pending);
    await failed((await take())[0], TRANSIENT);

    expect(await take()).toEqual([]);
    clock.advance(5_000);
    const again = await take();
    expect(again).toMatchObject([{ attempts: 1 }]);
    await failed(again[0], TRANSIENT);
    clock.advance(5_000);
    expect(await take()).toEqual([]);
    clock.advance(5_000);
    expect(await take()).toMatchObject([{ attempts: 2 }]);
  });

  it('is given up with the reason when trying again cannot help, until it changes', async () => {
    await want(pending);
    await failed((await take())[0], { isFinal: true, retryAfterMs: null, reason: 'no commit found' });
    clock.advance(86_400_000);

    expect(await take()).toEqual([]);
    expect(await database.dataSource.query('select last_error from commit_status')).toEqual([{ last_error: 'no commit found' }]);
    await want(success);
    expect(await take()).toMatchObject([{ state: 'success', attempts: 0 }]);
  });

  it('is told at once when it changed meanwhile, whatever became of its older form', async () => {
    await want(pending);
    const [first] = await take();
    await want(success);
    await failed(first, { isFinal: true, retryAfterMs: null, reason: 'no' });

    expect(await take()).toMatchObject([{ state: 'success', attempts: 0 }]);
    expect(await database.dataSource.query('select last_error from commit_status')).toEqual([{ last_error: null }]);
  });

  it('is not undone by a replica that was thought dead and comes late', async () => {
    await want(pending);
    const [slow] = await take();
    clock.advance(POSTING_LIMIT_MS);
    await posted((await take())[0]);

    await failed(slow, TRANSIENT);

    clock.advance(86_400_000);
    expect(await take()).toEqual([]);
  });
});

function inTx<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return transaction(database.dataSource, work);
}
const want = (status: WantedStatus) => inTx((tx) => wantStatus(tx, status, clock.now()));
const take = (limit = 50) => inTx((tx) => takeDueStatuses(tx, limit, clock.now()));
const posted = (status: DueStatus | undefined) => inTx((tx) => markPosted(tx, status as DueStatus));
const failed = (status: DueStatus | undefined, why: typeof TRANSIENT) => inTx((tx) => markFailed(tx, status as DueStatus, why, clock.now()));
