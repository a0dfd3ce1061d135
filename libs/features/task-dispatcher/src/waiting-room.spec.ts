import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type ClaimedJob, type Claimer, labelKey, type RunnerIdentity } from '@triphammer/runs';
import { QueueBoard } from './queue-board';
import { WaitingRoom } from './waiting-room';

const LINUX = labelKey(['linux']);
const GPU = labelKey(['gpu']);

function runner(id: number, facts: Partial<RunnerIdentity> = {}): RunnerIdentity {
  return { id, uuid: `u${id}`, name: `r${id}`, tokenHash: '', ownerId: null, repositoryId: null, labels: ['linux'], ephemeral: false, ...facts };
}

/** A queue of so many jobs for each label set, and every claim that was made. */
function dispatcher(waiting: Readonly<Record<number, number>>) {
  const left = new Map(Object.entries(waiting).map(([key, count]) => [Number(key), count]));
  const claims: { key: number; runnerIds: number[] }[] = [];
  let taskId = 0;
  const board = new QueueBoard();
  board.setLabelSets(
    new Map([
      [LINUX, ['linux']],
      [GPU, ['gpu']],
    ]),
  );
  const claim = async (key: number, _scope: unknown, claimers: readonly Claimer[]): Promise<readonly ClaimedJob[]> => {
    claims.push({ key, runnerIds: claimers.map((each) => each.runnerId) });
    await Promise.resolve();
    const got = claimers.slice(0, left.get(key) ?? 0);
    left.set(key, (left.get(key) ?? 0) - got.length);
    return got.map(({ runnerId }) => {
      taskId += 1;
      return { taskId, jobId: taskId, runId: 1, runnerId };
    });
  };
  const room = new WaitingRoom(board, claim, (error) => {
    throw error;
  });
  const add = (key: number, count: number) => {
    left.set(key, (left.get(key) ?? 0) + count);
    board.announce(key);
    room.serve([key]);
  };
  return { board, room, claims, add };
}

const poll = (of: RunnerIdentity, holdMs = 60_000, signal = new AbortController().signal) => ({ runner: of, requestKey: null, holdMs, signal });

afterEach(() => {
  jest.useRealTimers();
});

describe('a poll', () => {
  it('gets a job at once when one waits', async () => {
    const { room, board } = dispatcher({ [LINUX]: 1 });
    board.announce(LINUX);

    await expect(room.wait(poll(runner(1)))).resolves.toMatchObject({ runnerId: 1 });
    expect(room.size).toBe(0);
  });

  it('is held, and gets the job that is announced meanwhile', async () => {
    const { room, add, claims } = dispatcher({});
    const held = room.wait(poll(runner(1)));
    expect(claims).toEqual([]);

    add(LINUX, 1);

    await expect(held).resolves.toMatchObject({ runnerId: 1 });
  });

  it('ends empty when its time is up', async () => {
    jest.useFakeTimers();
    const { room } = dispatcher({});
    const held = room.wait(poll(runner(1), 4_500));

    jest.advanceTimersByTime(4_500);

    await expect(held).resolves.toBeUndefined();
    expect(room.size).toBe(0);
  });

  it('whose client goes away is no longer there when a job comes', async () => {
    const { room, add, claims } = dispatcher({});
    const client = new AbortController();
    const held = room.wait(poll(runner(1), 60_000, client.signal));

    client.abort();
    add(LINUX, 1);

    await expect(held).resolves.toBeUndefined();
    expect(claims).toEqual([]);
  });

  it('of a draining process is answered empty, held or new', async () => {
    const { room } = dispatcher({});
    const held = room.wait(poll(runner(1)));

    room.close();

    await expect(held).resolves.toBeUndefined();
    await expect(room.wait(poll(runner(2)))).resolves.toBeUndefined();
  });

  it('is never tried for jobs that its labels or its scope do not cover', () => {
    const { room, add, claims } = dispatcher({});
    void room.wait(poll(runner(1)));
    void room.wait(poll(runner(2, { labels: [] })));

    add(GPU, 5);

    expect(claims).toEqual([]);
    room.close();
  });
});

describe('waiting runners', () => {
  it('R02: of a hundred, one job wakes one, with one claim', async () => {
    const { room, add, claims } = dispatcher({});
    const polls = Array.from({ length: 100 }, (_, index) => room.wait(poll(runner(index + 1))));

    add(LINUX, 1);
    await expect(polls[0]).resolves.toMatchObject({ runnerId: 1 });

    expect(claims.length).toBeLessThanOrEqual(2);
    expect(room.size).toBe(99);
    room.close();
  });

  it('R06: all get a job in one round when there are as many jobs, in claims of 64 at most', async () => {
    const { room, add, claims } = dispatcher({});
    const polls = Array.from({ length: 100 }, (_, index) => room.wait(poll(runner(index + 1))));

    add(LINUX, 100);
    const jobs = await Promise.all(polls);

    expect(new Set(jobs.map((job) => job?.taskId)).size).toBe(100);
    expect(claims.map((each) => each.runnerIds.length)).toEqual([64, 36]);
  });

  it('get jobs in the order in which they came, whatever their other labels', async () => {
    const { room, add } = dispatcher({});
    const first = room.wait(poll(runner(1, { labels: ['linux', 'gpu'] })));
    const second = room.wait(poll(runner(2)));

    add(LINUX, 1);

    await expect(first).resolves.toMatchObject({ runnerId: 1 });
    expect(room.size).toBe(1);
    room.close();
    await expect(second).resolves.toBeUndefined();
  });

  it('that are two polls of one runner get two jobs', async () => {
    const { room, add } = dispatcher({});
    const polls = [room.wait(poll(runner(1))), room.wait(poll(runner(1)))];

    add(LINUX, 2);

    const jobs = await Promise.all(polls);
    expect(new Set(jobs.map((job) => job?.taskId)).size).toBe(2);
  });

  it('miss no job that is announced while a claim that finds nothing is under way', async () => {
    const { room, board, add } = dispatcher({});
    board.announce(LINUX);
    const held = room.wait(poll(runner(1)));

    add(LINUX, 1);

    await expect(held).resolves.toMatchObject({ runnerId: 1 });
  });
});
