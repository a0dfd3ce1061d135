import { expect, it } from '@jest/globals';
import type { ConnectedGitea } from '../harness/connected-gitea';
import { until } from '../harness/until';
import { WebhookRelay } from '../harness/webhook-relay';
import { oneJob } from './gitea-workflows';

const LIMIT_MS = 60_000;
const FILES = { '.gitea/workflows/ci.yml': oneJob('echo hello') };

/** Which deliveries count: signed ones, each once. */
export function describeGiteaWebhooks(forge: () => ConnectedGitea): void {
  it('answers 401 to a webhook with a wrong secret, and starts nothing for it', async () => {
    const { gitea, api, connection } = forge();
    await WebhookRelay.whileOpen(connection.webhook_url, async (relay) => {
      const repository = await gitea.createRepository('wrong-secret');
      await gitea.addWebhook(repository, relay.url, 'not the secret that was agreed on');

      const refused = await forge().push(repository, FILES);
      const delivery = await until('the delivery', LIMIT_MS, async () => relay.deliveries[0]);
      await gitea.addWebhook(repository, connection.webhook_url, connection.webhook_secret);
      await api.runOf(repository.fullName, await forge().push(repository, { 'more.txt': 'more' }));

      expect(delivery.status).toBe(401);
      expect(await api.runsOf(refused)).toEqual([]);
      expect(await api.deliveries(`&sha=${refused}`)).toEqual([]);
    });
  });

  it('makes one run of a push that is delivered three times: twice the same delivery, and once by a second webhook', async () => {
    const { gitea, api, connection } = forge();
    await WebhookRelay.whileOpen(connection.webhook_url, async (relay) => {
      const repository = await forge().newRepository('delivered-again');
      await gitea.addWebhook(repository, relay.url, connection.webhook_secret);

      const first = await forge().push(repository, FILES);
      const delivery = await until('the delivery', LIMIT_MS, async () => relay.deliveries[0]);
      const again = await relay.repeat(delivery);
      await until('both deliveries to be judged', LIMIT_MS, async () => ((await judged(forge(), first)).length === 2 ? true : undefined));
      await api.runOf(repository.fullName, await forge().push(repository, { 'more.txt': 'more' }));

      expect(again).toBe(200);
      expect(await judged(forge(), first)).toEqual(['duplicate', 'evaluated']);
      expect(await api.runsOf(first)).toHaveLength(1);
    });
  });
}

async function judged(forge: ConnectedGitea, sha: string): Promise<readonly string[]> {
  const deliveries = await forge.api.deliveries(`&sha=${sha}`);
  return deliveries
    .map(({ status }) => status)
    .filter((status) => status !== 'received')
    .sort();
}
