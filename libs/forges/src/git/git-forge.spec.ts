import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { forgeContract, httpForgeContract } from '../forge.contract';
import { removeTempFolders, tempFolder } from '../git-cache/git.harness';
import { type StandIn, standIn } from '../gitea/gitea.harness';
import { gitForge } from './git-forge';

let server: StandIn;
let folder: string;
beforeAll(async () => {
  server = await standIn();
  folder = join(tempFolder(), 'repositories');
  mkdirSync(folder);
});
afterAll(async () => {
  removeTempFolders();
  await server.stop();
});

const BY_HTTP = {
  name: 'a git server by http',
  open: async (credential: { username: string | null; token: string | null }) => gitForge({ url: server.url, ...credential }),
  openUnreachable: async () => gitForge({ url: 'http://127.0.0.1:9', username: null, token: null }),
  expectedRemote: () => `${server.url}/team/app.git`,
  username: null,
};
forgeContract(BY_HTTP);
httpForgeContract(BY_HTTP);
forgeContract({
  name: 'a folder of repositories',
  open: async (credential) => gitForge({ url: folder, ...credential }),
  openUnreachable: async () => gitForge({ url: join(folder, 'missing'), username: null, token: null }),
  expectedRemote: () => join(folder, 'team/app.git'),
  username: null,
});

describe('a plain git server', () => {
  it('can do nothing beyond git', () => {
    expect(gitForge({ url: folder, username: null, token: null }).api).toBeUndefined();
    expect(gitForge({ url: server.url, username: null, token: null }).api).toBeUndefined();
  });
});
