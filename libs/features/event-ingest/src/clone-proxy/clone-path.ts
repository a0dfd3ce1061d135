const MAX_NAME_LENGTH = 100;
/** First segments of the product's own paths. A repository below them could be cloned by nobody who goes through the gateway. */
const RESERVED_OWNERS: ReadonlySet<string> = new Set(['api', 'webhooks', 'v2', 'twirp', 'livez', 'readyz', 'metrics', '-']);
/** What could lead out of its segment once somebody builds a path or a URL of the name; `%` is left only by double encoding. */
const UNSAFE = /[\u0000-\u001f\u007f/\\%?#]/;

export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

/** Owner and repository of the two decoded path segments, the name without `.git`; `undefined` where no repository can be meant. */
export function repositoryName(owner: string, segment: string): RepositoryName | undefined {
  const name = segment.endsWith('.git') ? segment.slice(0, -'.git'.length) : segment;
  if (!isName(owner) || !isName(name) || RESERVED_OWNERS.has(owner.toLowerCase())) return undefined;
  return { owner, name };
}

function isName(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && text.length <= MAX_NAME_LENGTH && !UNSAFE.test(text);
}
