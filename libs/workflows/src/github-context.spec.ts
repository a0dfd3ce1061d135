import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type ContextSubject, githubContext } from './github-context';
import type { JsonObject } from './json';

const recorded = JSON.parse(readFileSync(join(__dirname, '../testdata/gitea-1.26-task-context.json'), 'utf8')) as JsonObject;

const subject: ContextSubject = {
  run: { id: 15, number: 3, attempt: 1 },
  jobId: 'a',
  workflow: { directory: '.gitea/workflows', file: 'ci.yml' },
  repository: { id: 1, name: 'demo', ownerId: 7, ownerName: 'adm', htmlUrl: 'http://127.0.0.1:3300/adm/demo' },
  eventName: 'push',
  event: recorded['event'] as JsonObject,
  ref: 'refs/heads/main',
  sha: '301ab51785d3fb7994919d2c8aa83a2583b3a689',
  actor: { name: 'adm', id: 1 },
  serverUrl: 'http://127.0.0.1:3300',
  jobToken: '<40 hex job token>',
  defaultActionsUrl: 'https://github.com',
  serverVersion: '0.1.0',
  retentionDays: 90,
};

describe('the github context', () => {
  it.each(Object.keys(recorded))('has %s in the type that a Gitea sends', (key) => {
    expect(typeof githubContext(subject)[key]).toBe(typeof recorded[key]);
  });

  it('agrees with the recording wherever both know the value', () => {
    const own = githubContext(subject);
    const ownChoice = ['gitea_runtime_token', 'retention_days', 'triggering_actor'];

    const differing = Object.keys(recorded).filter((key) => JSON.stringify(own[key]) !== JSON.stringify(recorded[key]));

    expect(differing.sort()).toEqual(ownChoice);
  });

  it('holds strings only, apart from the event and ref_protected', () => {
    const others = Object.entries(githubContext(subject)).filter(([, value]) => typeof value !== 'string');

    expect(others.map(([key]) => key).sort()).toEqual(['event', 'ref_protected']);
  });

  it('speaks the names of Forgejo too', () => {
    expect(githubContext(subject)).toMatchObject({
      workflow_ref: 'adm/demo/.gitea/workflows/ci.yml@refs/heads/main',
      forgejo_default_actions_url: 'https://github.com',
      forgejo_runtime_token: '<40 hex job token>',
      forgejo_server_version: '0.1.0',
      actor_id: '1',
      repository_id: '1',
      repository_owner_id: '7',
    });
  });

  it.each([
    ['refs/heads/feature/x', 'feature/x', 'branch'],
    ['refs/tags/v1', 'v1', 'tag'],
    ['refs/pull/3/head', 'refs/pull/3/head', ''],
  ])('of %s has the short name %s and the type %j', (ref, refName, refType) => {
    expect(githubContext({ ...subject, ref })).toMatchObject({ ref, ref_name: refName, ref_type: refType });
  });

  it('keeps a path prefix in the addresses, whether or not the setting ends with a slash', () => {
    const own = githubContext({ ...subject, serverUrl: 'https://ci.example/forge/' });

    expect(own).toMatchObject({ server_url: 'https://ci.example/forge/', api_url: 'https://ci.example/forge/api/v1' });
  });
});
