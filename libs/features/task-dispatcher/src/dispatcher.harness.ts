import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { PingService, RunnerService } from '@triphammer/runner-rpc';

export interface RunnerHeaders {
  readonly uuid: string;
  readonly token: string;
}

/** The real Connect client, as one runner. */
export function runnerClient(url: string, runner?: RunnerHeaders, options: { useBinaryFormat?: boolean; headers?: Record<string, string> } = {}) {
  const transport = createConnectTransport({
    baseUrl: `${url}/api/actions`,
    httpVersion: '1.1',
    useBinaryFormat: options.useBinaryFormat ?? true,
    interceptors: [
      (next) => (request) => {
        if (runner) {
          request.header.set('x-runner-uuid', runner.uuid);
          request.header.set('x-runner-token', runner.token);
        }
        for (const [name, value] of Object.entries(options.headers ?? {})) request.header.set(name, value);
        return next(request);
      },
    ],
  });
  return { ping: createClient(PingService, transport), runner: createClient(RunnerService, transport) };
}
