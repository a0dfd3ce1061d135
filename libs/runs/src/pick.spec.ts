import { describe, expect, it } from '@jest/globals';
import { type CandidateRunner, explainWaiting, type NeededJob, type WaitingJob } from './pick';

const job: WaitingJob = { status: 'waiting', labels: ['linux', 'gpu'], needs: [], ownerId: 1, repositoryId: 10 };
const runner = (name: string, facts: Partial<CandidateRunner> = {}): CandidateRunner => ({
  name,
  labels: ['Linux', 'GPU'],
  ownerId: null,
  repositoryId: null,
  isOnline: true,
  tasks: 0,
  ...facts,
});
const needed = (name: string, status: NeededJob['status']): NeededJob => ({ key: name, name, status });

describe('a job waits', () => {
  it.each<[string, WaitingJob, NeededJob[], CandidateRunner[], string, string]>([
    [
      'for its needs',
      { ...job, status: 'blocked' },
      [needed('build', 'running'), needed('lint', 'success')],
      [],
      'NEEDS_NOT_DONE',
      'Waits for build (running).',
    ],
    ['for a first runner', job, [], [], 'LABELS_MISSING', 'No runner is registered for this repository.'],
    ['for a label that nobody has', job, [], [runner('r1', { labels: ['windows'] })], 'LABELS_MISSING', 'No runner has the labels linux, gpu.'],
    [
      'for the one label that is missing',
      job,
      [],
      [runner('r1', { labels: ['linux'] })],
      'LABELS_MISSING',
      'No runner has all of the labels linux, gpu; r1 lacks gpu.',
    ],
    [
      'for a runner of its own scope',
      job,
      [],
      [runner('r1', { repositoryId: 11 }), runner('r2', { ownerId: 2 })],
      'LABELS_MISSING',
      'No runner is registered for this repository.',
    ],
    ['for a runner to come back', job, [], [runner('r1', { isOnline: false })], 'RUNNERS_OFFLINE', 'Of the runners that fit none is online: r1.'],
    [
      'for a busy runner',
      job,
      [],
      [runner('r1', { tasks: 1 }), runner('r2', { tasks: 2, ownerId: 1 })],
      'RUNNERS_BUSY',
      'All runners that fit are busy: r1, r2.',
    ],
    ['for the next poll only', job, [], [runner('r1', { tasks: 1 }), runner('r2')], 'ABOUT_TO_START', 'Goes to the next poll of r2.'],
  ])('%s', (_case, waiting, needs, runners, code, text) => {
    expect(explainWaiting(waiting, needs, runners)).toEqual({ code, text });
  });

  it('no longer once it runs', () => {
    expect(explainWaiting({ ...job, status: 'running' }, [], [])).toBeUndefined();
  });

  it('and a long list of names is cut', () => {
    const runners = Array.from({ length: 8 }, (_, index) => runner(`r${index}`, { tasks: 1 }));

    expect(explainWaiting(job, [], runners)?.text).toBe('All runners that fit are busy: r0, r1, r2, r3, r4 and 3 more.');
  });
});
