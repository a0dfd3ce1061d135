import { Failure } from '@triphammer/foundation';

const DIGEST = /^[0-9a-f]{64}$/;

/** `aa/bb/<digest>`: at most 65,536 folders, so that none grows large. Refuses what is not a digest, above all a path. */
export function blobKey(digest: string): string {
  if (!DIGEST.test(digest)) throw new Failure('invalid-input', 'a blob is named by its sha256, 64 lower-case hex characters');
  return `${digest.slice(0, 2)}/${digest.slice(2, 4)}/${digest}`;
}

export function noSuchBlob(digest: string): never {
  throw new Failure('not-found', `there is no blob ${digest}`);
}
