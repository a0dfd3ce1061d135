import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { repositoryName } from './clone-path';

describe('the name of a repository in a clone URL', () => {
  it.each([
    ['team', 'app', 'app'],
    ['team', 'app.git', 'app'],
    ['Team.x', 'App-1_2.js', 'App-1_2.js'],
    ['team', 'app.git.git', 'app.git'],
    ['team', '.github', '.github'],
    ['o'.repeat(100), `${'r'.repeat(100)}.git`, 'r'.repeat(100)],
    ['tëam', '日本', '日本'],
  ])('of %j and %j is %j', (owner, segment, name) => {
    expect(repositoryName(owner, segment)).toEqual({ owner, name });
  });

  it.each([
    ['', 'app'],
    ['team', ''],
    ['team', '.git'],
    ['..', 'app'],
    ['.', 'app'],
    ['team', '..'],
    ['team', '...git'],
    ['team', '../other'],
    ['team/sub', 'app'],
    ['team', 'a\\b'],
    ['team', '%2e%2e'],
    ['team', 'app\u0000'],
    ['team', 'app\n'],
    ['team', 'a?b'],
    ['team', 'a#b'],
    ['o'.repeat(101), 'app'],
    ['team', 'r'.repeat(101)],
  ])('is none for %j and %j', (owner, segment) => {
    expect(repositoryName(owner, segment)).toBeUndefined();
  });

  it.each(['api', 'webhooks', 'v2', 'twirp', 'livez', 'readyz', 'metrics', '-', 'API'])('is none below our own path %s', (owner) => {
    expect(repositoryName(owner, 'app')).toBeUndefined();
  });

  it('never holds what leads out of its segment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (owner, segment) => {
        const found = repositoryName(owner, segment);
        for (const part of found ? [found.owner, found.name] : []) {
          expect(new URL(`http://host/${part}/x`).pathname.split('/')).toHaveLength(3);
        }
      }),
    );
  });
});
