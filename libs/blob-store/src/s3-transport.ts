import http from 'node:http';
import https from 'node:https';

/** Node's own client, except that a request fails when the server lets it wait for so long. A reader of the answer may be slower. */
export function impatientTransport(protocol: 'http:' | 'https:', patienceMs: number): Pick<typeof http, 'request'> {
  const transport = protocol === 'https:' ? https : http;
  const request = (options: https.RequestOptions, onResponse?: (response: http.IncomingMessage) => void): http.ClientRequest => {
    const made = transport.request(options, onResponse);
    made.setTimeout(patienceMs, () => made.destroy(new Error(`no answer within ${patienceMs} ms`)));
    return made.once('response', () => made.setTimeout(0));
  };
  return { request: request as typeof http.request };
}
