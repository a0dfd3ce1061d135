import type { Readable } from 'node:stream';

/** An answer that is not JSON: a log's text, a live tail. */
export class ApiStream {
  constructor(
    readonly body: Readable | string,
    readonly contentType: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}
