import { spawn } from 'node:child_process';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

export interface HttpServer {
  readonly url: string;
  stop(): Promise<void>;
}

export interface Forge extends HttpServer {
  readonly seen: SeenRequest[];
}

export async function startHttpServer(listener: RequestListener): Promise<HttpServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A private forge of the repositories below `root`: git's own `http-backend` behind one credential. */
export async function startForge(root: string, authorization: string): Promise<Forge> {
  const seen: SeenRequest[] = [];
  const server = await startHttpServer((request, response) => {
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    response.setHeader('set-cookie', 'session=of-the-forge');
    if (request.headers.authorization === authorization) runBackend(root, request, response);
    else response.writeHead(401, { 'www-authenticate': 'Basic realm="forge"' }).end('sign in\n');
  });
  return { ...server, seen };
}

function runBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '', 'http://forge');
  const header = (name: string) => [request.headers[name] ?? []].flat()[0];
  const child = spawn('git', ['-c', 'uploadpack.allowAnySHA1InWant=true', '-c', 'uploadpack.allowFilter=true', 'http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: header('content-type'),
      CONTENT_LENGTH: header('content-length'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      GIT_PROTOCOL: header('git-protocol'),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin.on('error', () => undefined));
  response.once('close', () => child.kill());
  let head = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (response.headersSent) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    for (const line of head.subarray(0, end).toString().split('\r\n')) {
      const [name = '', value = ''] = line.split(/: (.*)/s);
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
  });
  child.stdout.once('end', () => response.end());
}
