export type Codec = 'proto' | 'json';

/** Sent exactly so: with a charset behind it a Connect client takes the reply for an unknown error. */
export const CONTENT_TYPES = { proto: 'application/proto', json: 'application/json' } as const satisfies Record<Codec, string>;

const UNARY = /^application\/(?:(proto)|json(?:\s*;\s*charset="?utf-8"?)?)\s*$/i;

/** The codec that a request's content type names; none for all others, the streaming and gRPC types among them. */
export function parseContentType(value: string | undefined): Codec | undefined {
  if (value === CONTENT_TYPES.proto) return 'proto';
  const match = UNARY.exec(value ?? '');
  if (!match) return undefined;
  return match[1] === undefined ? 'json' : 'proto';
}
