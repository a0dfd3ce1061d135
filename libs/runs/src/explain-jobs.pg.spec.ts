import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { poolOf } from '@triphammer/models';
import { createTestDatabase, type TestDatabase } from '@triphammer/testing';
import { explainJobs } from './explain-jobs';
import { findJobs } from './job-queries';
import { type Home, newJob, NOW, seedClaim, seedRepository, seedRun, seedRunner } from './seed.harness';

const MINUTE = 60_000;
const ONLINE_SINCE = new Date(NOW.getTime() - 2 * MINUTE);

let database: TestDatabase;
let app: Home;
let lib: Home;

beforeEach(async () => {
  database = await createTestDatabase();
  app = await seedRepository(database.dataSource, 'acme/app');
  lib = await seedRepository(database.dataSource, 'other/lib');
});

afterEach(() => database.drop());

/** The reasons of all jobs, by their keys. */
async function reasons(): Promise<Record<string, string>> {
  const pool = poolOf(database.dataSource);
  const { jobs } = await findJobs(pool, {}, { page: 1, limit: 50 });
  const found = await explainJobs(pool, jobs, ONLINE_SINCE);
  return Object.fromEntries(jobs.flatMap((job) => (found.has(job.id) ? [[job.key, found.get(job.id)?.text ?? '']] : [])));
}

describe('the reason why a job waits', () => {
  it('follows what is changed about the runners', async () => {
    await seedRun(database.dataSource, app, [newJob('build', { labels: ['linux', 'gpu'] })]);
    const texts = [await reasons()];
    await seedRunner(database.dataSource, 'plain', { labels: ['linux'] });
    texts.push(await reasons());
    await seedRunner(database.dataSource, 'asleep', { labels: ['GPU', 'Linux'], seenAt: new Date(NOW.getTime() - 3 * MINUTE) });
    texts.push(await reasons());
    await seedRunner(database.dataSource, 'awake', { labels: ['linux', 'gpu'] });
    texts.push(await reasons());

    expect(texts.map((each) => each['build'])).toEqual([
      'No runner is registered for this repository.',
      'No runner has all of the labels linux, gpu; plain lacks gpu.',
      'Of the runners that fit none is online: asleep.',
      'Goes to the next poll of awake.',
    ]);
  });

  it('counts the tasks that a runner works on', async () => {
    await seedRun(database.dataSource, app, [newJob('first'), newJob('second')]);
    const runner = await seedRunner(database.dataSource, 'only');
    await seedClaim(database.dataSource, runner);

    expect(await reasons()).toEqual({ second: 'All runners that fit are busy: only.' });
  });

  it('counts only runners that may take jobs of the repository', async () => {
    await seedRun(database.dataSource, app, [newJob('build')]);
    await seedRunner(database.dataSource, 'of-other-owner', { scope: { ownerId: lib.ownerId } });
    await seedRunner(database.dataSource, 'of-other-repository', { scope: { repositoryId: lib.repositoryId } });
    const before = await reasons();
    await seedRunner(database.dataSource, 'of-owner', { scope: { ownerId: app.ownerId } });
    await seedRunner(database.dataSource, 'of-repository', { scope: { repositoryId: app.repositoryId } });

    expect([before, await reasons()]).toEqual([
      { build: 'No runner is registered for this repository.' },
      { build: 'Goes to the next poll of of-owner, of-repository.' },
    ]);
  });

  it('is told apart for jobs of one label set in different repositories', async () => {
    await seedRun(database.dataSource, app, [newJob('of-app')]);
    await seedRun(database.dataSource, lib, [newJob('of-lib')]);
    await seedRunner(database.dataSource, 'r1', { scope: { repositoryId: lib.repositoryId } });

    expect(await reasons()).toEqual({ 'of-app': 'No runner is registered for this repository.', 'of-lib': 'Goes to the next poll of r1.' });
  });

  it('names the jobs that a blocked one needs, each combination of a matrix, of its own attempt', async () => {
    await seedRun(database.dataSource, app, [
      newJob('build', { name: 'build (a)' }),
      newJob('build', { name: 'build (b)' }),
      newJob('lint'),
      newJob('test', { needs: ['build'] }),
    ]);
    await seedRun(database.dataSource, app, [newJob('build', { name: 'build of another run' }), newJob('deploy', { needs: ['build'] })]);

    expect((await reasons())['test']).toBe('Waits for build (a) (waiting), build (b) (waiting).');
  });
});
