import { readdir } from 'node:fs/promises';
import { Failure } from '@triphammer/foundation';
import { request } from 'undici';
import { type Forge, httpRemote } from '../forge';

const TIMEOUT_MS = 15_000;

interface GitAddress {
  readonly url: string;
  readonly username: string | null;
  readonly token: string | null;
}

/** A git server without an API: by http(s), or a folder of this machine. */
export function gitForge({ url, username, token }: GitAddress): Forge {
  if (url.startsWith('/')) {
    return {
      kind: 'git',
      gitRemote: ({ forgeRepositoryId }) => ({ kind: 'path', path: `${url}/${forgeRepositoryId}` }),
      verify: () => verifyFolder(url),
    };
  }
  return {
    kind: 'git',
    gitRemote: ({ forgeRepositoryId }) => httpRemote(`${url}/${forgeRepositoryId}`, username, token),
    verify: () => verifyHost(url),
  };
}

async function verifyFolder(path: string): Promise<{ readonly username: null }> {
  try {
    await readdir(path);
    return { username: null };
  } catch (error) {
    throw new Failure('upstream-failed', `The folder ${path} cannot be read: ${(error as { code?: string }).code}.`, { cause: error });
  }
}

/** Without the name of a repository there is nothing to ask for; any answer shows that the address leads somewhere. */
async function verifyHost(url: string): Promise<{ readonly username: null }> {
  try {
    const answer = await request(url, { method: 'HEAD', signal: AbortSignal.timeout(TIMEOUT_MS) });
    await answer.body.dump();
    return { username: null };
  } catch (error) {
    throw new Failure('upstream-failed', `${url} does not answer: ${(error as { code?: string }).code ?? (error as Error).message}.`, { cause: error });
  }
}
