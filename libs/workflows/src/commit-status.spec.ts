import { describe, expect, it } from '@jest/globals';
import { type ShownStatus, statusContext, statusDescription, statusState, uniqueStatusContext } from './commit-status';

const subject = { workflowName: 'CI', path: '.gitea/workflows/sub/ci.yml', jobName: 'build (linux)', eventName: 'push' };

describe('a commit status', () => {
  it.each<[ShownStatus, string, string]>([
    ['waiting', 'pending', 'Waiting to run'],
    ['blocked', 'pending', 'Blocked by required conditions'],
    ['running', 'pending', 'In progress'],
    ['cancelling', 'pending', 'Canceling'],
    ['success', 'success', 'Successful in 1m5s'],
    ['failure', 'failure', 'Failing after 1m5s'],
    ['cancelled', 'failure', 'Canceled after 1m5s'],
    ['skipped', 'skipped', 'Skipped'],
  ])('of a %s job is %s: %s', (status, state, description) => {
    expect([statusState(status), statusDescription(status, 65_000)]).toEqual([state, description]);
  });

  it('is named by workflow, job and event', () => {
    expect(statusContext(subject)).toBe('CI / build (linux) (push)');
  });

  it.each([null, '', '  '])('of a workflow called %j is named by the file', (workflowName) => {
    expect(statusContext({ ...subject, workflowName })).toBe('ci.yml / build (linux) (push)');
  });

  it('never shares its text with another one', () => {
    const taken = new Set<string>();
    for (let count = 0; count < 3; count += 1) taken.add(uniqueStatusContext('CI / a (push)', '.gitea/workflows/ci.yml', taken));
    taken.add(uniqueStatusContext('CI / a (push)', '.gitea/workflows/other.yml', taken));

    expect([...taken]).toEqual(['CI / a (push)', 'CI / a (push) [ci.yml]', 'CI / a (push) [ci.yml 2]', 'CI / a (push) [other.yml]']);
  });
});
