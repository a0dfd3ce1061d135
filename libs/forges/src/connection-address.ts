import { posix } from 'node:path';
import { Failure } from '@triphammer/foundation';
import type { ForgeKind } from '@triphammer/models/forges';

/** The address of a connection as it is stored: no slash at its end, nothing that is not part of it. Throws `invalid-input` with the way out. */
export function normalizeAddress(kind: ForgeKind, address: string): string {
  if (kind === 'git' && address.startsWith('/')) return normalizePath(address);
  if (/^ssh:|^git@|^[\w.-]+@[\w.-]+:/.test(address)) {
    throw refuse(address, 'ssh is not supported. Give an http or https address, or the absolute path of a folder on this machine');
  }
  return normalizeUrl(kind, address);
}

function normalizePath(path: string): string {
  const normal = posix.normalize(path).replace(/\/+$/, '');
  if (normal === '' || path.split('/').includes('..')) {
    throw refuse(path, 'give the absolute path of the folder that holds the repositories, without ".."');
  }
  return normal;
}

function normalizeUrl(kind: ForgeKind, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    const orPath = kind === 'git' ? ', or an absolute path such as /srv/git' : '';
    throw refuse(address, `give an http or https address such as https://git.example.org${orPath}`);
  }
  if (url.username !== '' || url.password !== '') throw new Failure('invalid-input', 'Give user name and token by themselves, not within the address.');
  if (url.search !== '' || url.hash !== '') throw refuse(address, 'leave out everything from "?" or "#" on');
  return url.href.replace(/\/+$/, '');
}

function refuse(address: string, remedy: string): Failure {
  return new Failure('invalid-input', `"${address.slice(0, 200)}" cannot be connected: ${remedy}.`);
}
