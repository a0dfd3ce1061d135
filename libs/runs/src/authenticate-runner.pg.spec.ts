import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { poolOf, type Sql, transaction } from '@triphammer/models';
import { createTestDatabase, type FakeClock, fakeClock, makeRunner, type TestDatabase } from '@triphammer/testing';
import { RunnerDirectory } from './authenticate-runner';
import { retireRunner } from './register-runner';

const UNAUTHENTICATED = { code: 'unauthenticated' };
const STRANGER = '00000000-0000-4000-8000-000000000000';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

let clock: FakeClock;
let statements: number;
let directory: RunnerDirectory;
beforeEach(() => {
  clock = fakeClock();
  statements = 0;
  const query: Sql['query'] = (statement) => {
    statements += 1;
    return poolOf(database.dataSource).query(statement);
  };
  directory = new RunnerDirectory({ query }, clock);
});

const makeRunners = (...names: string[]) => Promise.all(names.map((name) => makeRunner(database.dataSource, name)));

describe('the directory of runners', () => {
  it('asks the database once for a runner that calls again and again', async () => {
    const [runner] = await makeRunners('r1');
    const uuid = runner?.uuid ?? '';

    await directory.authenticate(uuid, 'r1');
    const again = await directory.authenticate(uuid, 'r1');

    expect(again).toMatchObject({ id: runner?.id, labels: ['linux'], ephemeral: false });
    expect(statements).toBe(1);
  });

  it.each([
    ['a wrong token', (uuid: string) => [uuid, 'wrong'] as const],
    ['a uuid of nobody', () => [STRANGER, 'r1'] as const],
  ])('refuses %s, a second time from memory', async (_what, credentials) => {
    const [runner] = await makeRunners('r1');
    const [uuid, token] = credentials(runner?.uuid ?? '');

    await expect(directory.authenticate(uuid, token)).rejects.toMatchObject(UNAUTHENTICATED);
    await expect(directory.authenticate(uuid, token)).rejects.toMatchObject(UNAUTHENTICATED);

    expect(statements).toBe(1);
  });

  it('refuses what is no uuid without asking', async () => {
    await expect(directory.authenticate(`' or true --`, 'r1')).rejects.toMatchObject(UNAUTHENTICATED);

    expect(statements).toBe(0);
  });

  it('reads all that call together once they are old', async () => {
    const runners = await makeRunners('r1', 'r2', 'r3');
    const callAll = () => Promise.all(runners.map(({ uuid, name }) => directory.authenticate(uuid, name)));
    await callAll();
    clock.advance(31_000);
    statements = 0;

    const called = await callAll();

    expect(called.map(({ name }) => name)).toEqual(['r1', 'r2', 'r3']);
    expect(statements).toBe(1);
  });

  it('keeps runners in memory that call once in a hold of fifty seconds', async () => {
    const runners = await makeRunners('r1', 'r2', 'r3', 'r4', 'r5');
    statements = 0;

    for (let second = 0; second < 300; second += 10) {
      const caller = runners[(second / 10) % runners.length];
      await directory.authenticate(caller?.uuid ?? '', caller?.name ?? '');
      clock.advance(10_000);
    }

    // Five first calls; from then on one for all of them, twenty seconds after the last at the earliest.
    expect(statements).toBeLessThanOrEqual(5 + 300 / 20);
  });

  it('lets go of a runner that has stopped calling', async () => {
    const [gone, caller] = await makeRunners('r1', 'r2');
    await directory.authenticate(gone?.uuid ?? '', 'r1');
    for (let minute = 0; minute < 3; minute += 1) {
      await directory.authenticate(caller?.uuid ?? '', 'r2');
      clock.advance(60_000);
    }
    await directory.authenticate(caller?.uuid ?? '', 'r2');
    statements = 0;

    await directory.authenticate(gone?.uuid ?? '', 'r1');

    expect(statements).toBe(1);
  });

  it('refuses a runner that was retired, at the hint', async () => {
    const [runner] = await makeRunners('r1');
    const { id = 0, uuid = '' } = runner ?? {};
    await directory.authenticate(uuid, 'r1');

    await transaction(database.dataSource, (tx) => retireRunner(tx, id, clock.now()));
    directory.forget(id);

    await expect(directory.authenticate(uuid, 'r1')).rejects.toMatchObject(UNAUTHENTICATED);
  });

  it('does not keep what was read before the hint', async () => {
    const [runner] = await makeRunners('r1');
    const { id = 0, uuid = '' } = runner ?? {};
    const reading = directory.authenticate(uuid, 'r1');

    directory.forget(id);
    await reading;

    expect(directory.recall(uuid, 'r1')).toBeUndefined();
  });
});
