const MAX_LENGTH = 100;
const GIT_PROTOCOL = /^version=[012](?::[a-z0-9=._-]+)*$/;

/**
 * The `Git-Protocol` header as `GIT_PROTOCOL` takes it. What no git client writes counts as absent: the client is then
 * answered in version 0, which it always understands.
 */
export function gitProtocolOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && header.length <= MAX_LENGTH && GIT_PROTOCOL.test(header) ? header : undefined;
}

/** Git takes the highest version of the list. */
export function isVersion2(protocol: string | undefined): boolean {
  return protocol !== undefined && protocol.split(':').includes('version=2');
}
