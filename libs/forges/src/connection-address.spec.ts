import { describe, expect, it } from '@jest/globals';
import { normalizeAddress } from './connection-address';

describe('the address of a connection', () => {
  it.each([
    ['gitea', 'https://git.example.org', 'https://git.example.org'],
    ['gitea', 'https://Git.Example.org:443/forge/', 'https://git.example.org/forge'],
    ['gitea', 'http://127.0.0.1:3300/', 'http://127.0.0.1:3300'],
    ['git', 'https://git.example.org/repos/', 'https://git.example.org/repos'],
    ['git', '/srv/git/', '/srv/git'],
    ['git', '/srv//git', '/srv/git'],
  ] as const)('of kind %s, %s, is kept as %s', (kind, given, kept) => {
    expect(normalizeAddress(kind, given)).toBe(kept);
  });

  it.each([
    ['git', 'ssh://git@example.org/srv', /ssh is not supported\. Give an http or https address, or the absolute path/],
    ['git', 'git@example.org:team/app.git', /ssh is not supported/],
    ['gitea', 'deploy@example.org:team', /ssh is not supported/],
    ['git', 'git://example.org', /http or https address such as .*, or an absolute path/],
    ['git', 'file:///srv/git', /or an absolute path such as \/srv\/git/],
    ['git', 'ext::sh -c x', /http or https/],
    ['git', 'srv/git', /http or https/],
    ['git', '/', /absolute path of the folder/],
    ['git', '/srv/../etc', /without "\.\."/],
    ['gitea', '/srv/git', /http or https/],
    ['gitea', 'example.org', /http or https/],
    ['gitea', '', /http or https/],
    ['gitea', 'https://bot:canary@example.org', /by themselves/],
    ['gitea', 'https://example.org/?a=1', /leave out/],
    ['gitea', 'https://example.org/#x', /leave out/],
  ] as const)('of kind %s, %s, is refused with the way out', (kind, given, words) => {
    expect(() => normalizeAddress(kind, given)).toThrow(expect.objectContaining({ code: 'invalid-input', message: expect.stringMatching(words) }));
    expect(() => normalizeAddress(kind, given)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('canary') }));
  });
});
