import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { poolOf, transaction } from '@triphammer/models';
import { createTestDatabase, makeRepository, makeRun, makeRunner, newJob, type TestDatabase } from '@triphammer/testing';
import { type ClaimedJob, claimJobs, type RunnerScope } from './claim-jobs';
import { abandonTask } from './end-task';
import { labelKey } from './labels';
import { readLabelSets, readWaitingQueues } from './waiting-queues';

const ALL: RunnerScope = { ownerId: null, repositoryId: null };
const LINUX = labelKey(['linux']);

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const claim = (runnerIds: readonly number[], scope = ALL, key = LINUX): Promise<readonly ClaimedJob[]> =>
  transaction(database.dataSource, (tx) =>
    claimJobs(
      tx,
      key,
      scope,
      runnerIds.map((runnerId) => ({ runnerId, requestKey: null })),
      new Date(),
    ),
  );

async function jobs<Row>(columns: string): Promise<Row[]> {
  const found = await poolOf(database.dataSource).query(`select ${columns} from job order by id`);
  return found.rows as Row[];
}

describe('claiming jobs', () => {
  it('gives 64 concurrent fetchers on 200 jobs 200 distinct tasks, none twice and none lost', async () => {
    const repository = await makeRepository(database.dataSource);
    for (let run = 0; run < 10; run += 1) {
      await makeRun(
        database.dataSource,
        Array.from({ length: 20 }, (_, index) => newJob(`j${index}`)),
        repository,
      );
    }
    const fetcher = async (runnerId: number) => {
      const mine: ClaimedJob[] = [];
      for (let got = await claim([runnerId]); got.length > 0; got = await claim([runnerId])) mine.push(...got);
      return mine;
    };

    const claimed = (await Promise.all(Array.from({ length: 64 }, (_, index) => fetcher(index + 1)))).flat();

    expect(new Set(claimed.map((each) => each.jobId)).size).toBe(200);
    expect(claimed).toHaveLength(200);
    const rows = await jobs<{ status: string; task_id: number; id: number }>('id, status, task_id');
    expect(rows.every((row) => row.status === 'running')).toBe(true);
    expect(rows.map((row) => [row.id, row.task_id])).toEqual(claimed.map((each) => [each.jobId, each.taskId]).sort(([a = 0], [b = 0]) => a - b));
    const runs = await poolOf(database.dataSource).query(`select distinct status from run union select distinct status from attempt`);
    expect(runs.rows).toEqual([{ status: 'running' }]);
    const events = await poolOf(database.dataSource).query(`select count(*) from outbox where event = 'job.claimed'`);
    expect(events.rows).toEqual([{ count: 200 }]);
  }, 30_000);

  it('R06: serves 50 runners with 50 jobs in one round', async () => {
    await makeRun(
      database.dataSource,
      Array.from({ length: 50 }, (_, index) => newJob(`j${index}`)),
    );
    const runnerIds = Array.from({ length: 50 }, (_, index) => index + 1);

    const claimed = await claim(runnerIds);

    expect(claimed.map((each) => each.runnerId)).toEqual(runnerIds);
    expect(new Set(claimed.map((each) => each.jobId)).size).toBe(50);
  });

  it('takes the highest priority first and then the oldest', async () => {
    await makeRun(database.dataSource, [newJob('old'), newJob('urgent'), newJob('new')]);
    await poolOf(database.dataSource).query(`update job set priority = 5 where key = 'urgent'`);

    const claimed = await claim([1, 2]);

    const keys = await jobs<{ id: number; key: string }>('id, key');
    expect(claimed.map((each) => keys.find((row) => row.id === each.jobId)?.key)).toEqual(['urgent', 'old']);
  });

  it.each([
    ['its own repository', (own: { id: number }) => ({ ownerId: null, repositoryId: own.id }), 1],
    ['another repository', (own: { id: number }) => ({ ownerId: null, repositoryId: own.id + 99 }), 0],
    ['its owner', (own: { ownerId: number }) => ({ ownerId: own.ownerId, repositoryId: null }), 1],
    ['another owner', (own: { ownerId: number }) => ({ ownerId: own.ownerId + 99, repositoryId: null }), 0],
  ])('of a runner for %s finds what its scope allows', async (_case, scopeOf, count) => {
    const repository = await makeRepository(database.dataSource);
    await makeRun(database.dataSource, [newJob('a')], repository);

    expect(await claim([1], scopeOf(repository))).toHaveLength(count);
  });

  it('leaves jobs with other labels and blocked jobs alone', async () => {
    await makeRun(database.dataSource, [newJob('a', { labels: ['gpu'] }), newJob('b', { needs: ['a'] })]);

    expect(await claim([1])).toEqual([]);
    expect(await jobs('status')).toEqual([{ status: 'waiting' }, { status: 'blocked' }]);
  });
});

describe('a task that never reached its runner', () => {
  it('is given up, and its job waits again in the same attempt', async () => {
    await makeRun(database.dataSource, [newJob('a')]);
    const runner = await makeRunner(database.dataSource, 'r1');
    const [first] = await claim([runner.id]);

    const given = await transaction(database.dataSource, (tx) => abandonTask(tx, first?.taskId ?? 0, new Date()));
    const [second] = await claim([runner.id]);

    expect(given).toBe(true);
    expect(second?.jobId).toBe(first?.jobId);
    expect(second?.taskId).not.toBe(first?.taskId);
    const tasks = await poolOf(database.dataSource).query('select status from task order by id');
    expect(tasks.rows).toEqual([{ status: 'abandoned' }, { status: 'claimed' }]);
  });
});

describe('what waits', () => {
  it('is read as the label sets with at least one waiting job', async () => {
    await makeRun(database.dataSource, [
      newJob('a'),
      newJob('b'),
      newJob('c', { labels: ['GPU', 'linux'] }),
      newJob('d', { labels: [] }),
      newJob('e', { labels: ['arm'], needs: ['a'] }),
    ]);

    const { labelKeys } = await readWaitingQueues(poolOf(database.dataSource));

    expect([...labelKeys].sort()).toEqual([labelKey([]), labelKey(['linux']), labelKey(['gpu', 'linux'])].sort());
    const sets = await readLabelSets(poolOf(database.dataSource));
    expect(sets.get(labelKey(['linux', 'gpu']))).toEqual(['gpu', 'linux']);
  });
});
