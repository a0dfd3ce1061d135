import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { poolOf, transaction } from '@triphammer/models';
import { createTestDatabase, type TestDatabase } from '@triphammer/testing';
import { reportTask } from './report-task';
import { resolveRun } from './resolve-run';
import { newJob, NOW, seedClaim, seedRepository, seedRun, seedRunner } from './seed.harness';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const rows = async (statement: string) => (await poolOf(database.dataSource).query(statement)).rows;
const statuses = async () => Object.fromEntries((await rows('select key, status from job')).map(({ key, status }) => [key, status]));

describe('a run whose jobs have conditions', () => {
  it('has those decided at its start that wait for nothing, by its own event', async () => {
    const home = await seedRepository(database.dataSource, 'acme/app');

    await seedRun(
      database.dataSource,
      home,
      [
        newJob('main', { condition: "github.ref_name == 'main' && github.repository == 'acme/app' && github.event.size == 3" }),
        newJob('other', { condition: "github.ref_name == 'other'" }),
        newJob('after', { condition: 'always()', needs: ['other'] }),
        newJob('broken', { condition: "fromJSON('{')" }),
        newJob('plain'),
      ],
      { eventPayload: { size: 3 } },
    );

    expect(await statuses()).toEqual({ main: 'waiting', other: 'skipped', after: 'waiting', broken: 'failure', plain: 'waiting' });
    expect(await rows('select status from run')).toEqual([{ status: 'waiting' }]);
    expect(await rows(`select payload->'jobId' as id from outbox where event = 'job.finished'`)).toHaveLength(2);
    expect(await rows(`select reason from job where key = 'broken'`)).toEqual([
      { reason: 'Its "if" cannot be evaluated: fromJSON was given a text that is no JSON.' },
    ]);
  });

  it('A10: is skipped at once, without a runner, when all of them are', async () => {
    await seedRun(database.dataSource, await seedRepository(database.dataSource, 'acme/app'), [
      newJob('a', { condition: 'false' }),
      newJob('b', { condition: '${{ 1 == 2 }}' }),
    ]);

    expect(await rows('select run.status, attempt.status as attempt, run.stopped_at from run join attempt on run_id = run.id')).toEqual([
      { status: 'skipped', attempt: 'skipped', stopped_at: NOW },
    ]);
  });

  it('A42: tells of every combination that is skipped', async () => {
    const combination = (value: number) => newJob('j', { name: `j (${value})`, statusContext: `ci / j (${value}) (push)`, condition: "github.ref == 'x'" });

    await seedRun(database.dataSource, await seedRepository(database.dataSource, 'acme/app'), [combination(1), combination(2)]);

    expect(
      await rows(`select job.status_context, job.status from outbox join job on job.id = (payload->>'jobId')::bigint where event = 'job.finished' order by 1`),
    ).toEqual([
      { status_context: 'ci / j (1) (push)', status: 'skipped' },
      { status_context: 'ci / j (2) (push)', status: 'skipped' },
    ]);
  });

  it('decides the others by the outputs and results of what they need', async () => {
    const runId = await seedRun(database.dataSource, await seedRepository(database.dataSource, 'acme/app'), [
      newJob('a'),
      newJob('yes', { needs: ['a'], condition: "needs.a.outputs.deploy == 'yes' && needs.a.result == 'success'" }),
      newJob('no', { needs: ['a'], condition: "needs.a.outputs.deploy == 'no'" }),
      newJob('failed', { needs: ['a'], condition: 'failure()' }),
    ]);
    const runnerId = await seedRunner(database.dataSource, 'r1');
    const { taskId } = await seedClaim(database.dataSource, runnerId);
    const report = { taskId, result: 'success' as const, startedAt: NOW, stoppedAt: NOW, steps: [], outputs: { deploy: 'yes' } };
    await transaction(database.dataSource, (tx) => reportTask(tx, runnerId, report, NOW));

    await transaction(database.dataSource, (tx) => resolveRun(tx, runId, NOW));
    await transaction(database.dataSource, (tx) => resolveRun(tx, runId, NOW));

    expect(await statuses()).toEqual({ a: 'success', yes: 'waiting', no: 'skipped', failed: 'skipped' });
    expect(await rows(`select 1 from outbox where event = 'job.released'`)).toHaveLength(2);
  });
});
