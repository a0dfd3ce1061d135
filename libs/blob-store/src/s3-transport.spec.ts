import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { raise } from '@triphammer/foundation';
import { impatientTransport } from './s3-transport';

describe('the transport to S3', () => {
  let server: Server;

  beforeEach(async () => {
    server = createServer((request, response) => {
      if (request.url !== '/slow-body') return;
      response.write('a');
      setTimeout(() => response.end('b'), 150);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });

  it('gives up a server that does not answer', async () => {
    await expect(get('/silence')).rejects.toThrow('no answer within 50 ms');
  });

  it('gives an answer that has begun the time it takes', async () => {
    expect(await get('/slow-body')).toBe('ab');
  });

  function get(path: string): Promise<string> {
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : raise('no port');
    return new Promise((resolve, reject) => {
      const request = impatientTransport('http:', 50).request({ host: '127.0.0.1', port, path, method: 'GET' }, (response) => {
        response.setEncoding('utf8').on('error', reject);
        let body = '';
        response.on('data', (text) => (body += text)).on('end', () => resolve(body));
      });
      request.on('error', reject).end();
    });
  }
});
