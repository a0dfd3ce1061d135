import { describe, expect, it } from '@jest/globals';
import { HeardTasks } from './heard-tasks';

function newHeard() {
  const written: number[][] = [];
  const errors: unknown[] = [];
  let isAway = false;
  const write = async (taskIds: readonly number[]) => {
    if (isAway) throw new Error('away');
    written.push([...taskIds]);
  };
  const heard = new HeardTasks(write, (error) => errors.push(error));
  return { heard, written, errors, setAway: (away: boolean) => (isAway = away), settle: () => new Promise((resolve) => setImmediate(resolve)) };
}

describe('tasks that were heard of', () => {
  it('are noted at once the first time, then together', async () => {
    const { heard, written, settle } = newHeard();

    heard.note(1);
    await settle();
    for (const taskId of [1, 2, 1, 1]) heard.note(taskId);
    await settle();
    heard.note(1);
    heard.note(2);
    await heard.flush();

    expect(written).toEqual([[1], [1, 2], [1, 2]]);
  });

  it('cost nothing when there are none', async () => {
    const { heard, written } = newHeard();

    await heard.flush();

    expect(written).toEqual([]);
  });

  it('are kept while they cannot be written', async () => {
    const { heard, written, errors, setAway } = newHeard();
    setAway(true);
    heard.note(1);
    await heard.flush();
    heard.note(2);
    await heard.flush();

    setAway(false);
    await heard.flush();

    expect(written).toEqual([[1, 2]]);
    expect(errors.length).toBeGreaterThan(1);
  });
});
