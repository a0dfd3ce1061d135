import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { RunnerService } from '@triphammer/runner-rpc';
import type { Installation } from './installation';

/** A runner that does on the wire just what a scenario says, by the real Connect client. */
export async function registerScriptedRunner(installation: Installation, name: string, labels: readonly string[]) {
  const register = client(installation, {});
  const { runner } = await register.register({ name, token: installation.registrationToken, labels: [...labels], version: 'scripted' });
  if (!runner) throw new Error('the registration was answered without a runner');
  return client(installation, { 'x-runner-uuid': runner.uuid, 'x-runner-token': runner.token });
}

function client(installation: Installation, headers: Readonly<Record<string, string>>) {
  const transport = createConnectTransport({
    baseUrl: `${installation.url}/api/actions`,
    httpVersion: '1.1',
    interceptors: [
      (next) => (request) => {
        for (const [name, value] of Object.entries(headers)) request.header.set(name, value);
        return next(request);
      },
    ],
  });
  return createClient(RunnerService, transport);
}
