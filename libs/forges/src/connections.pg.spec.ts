import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { read, transaction } from '@triphammer/models';
import { createTestDatabase, type TestDatabase } from '@triphammer/testing';
import { connectForge } from './connect-forge';
import {
  addConnection,
  checkConnection,
  findConnection,
  listConnections,
  type NewConnection,
  openWebhookSecret,
  ownerOf,
  readConnection,
  removeConnection,
} from './connections';
import { BOX, clear, FACTS, makeConnection, makeOwner, pushEvent } from './forges.harness';
import { ensureRepository } from './repositories';
import { storeDelivery } from './store-delivery';

const GITEA: NewConnection = { kind: 'gitea', name: 'main', url: 'https://git.example.org/', token: 'canary-token' };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
afterEach(() => clear(database.dataSource));

describe('a new connection', () => {
  it('is stored with its secrets sealed, each for its place', async () => {
    const id = await makeConnection(database.dataSource, { secret: 'a-webhook-secret-x' });

    const rows = await database.dataSource.query('select token_ciphertext, webhook_secret_ciphertext from forge_connection');
    const connection = await readConnection(read(database.dataSource), id);

    expect(rows).toEqual([
      {
        token_ciphertext: expect.stringMatching(/^sealed\(forge connection "main", token\)/),
        webhook_secret_ciphertext: expect.stringMatching(/^sealed\(forge connection "main", webhook secret\)/),
      },
    ]);
    expect(JSON.stringify(rows)).not.toContain('canary');
    expect(openWebhookSecret(BOX, connection)).toBe('a-webhook-secret-x');
    expect(connectForge(BOX, { ...connection, username: 'bot' }).gitRemote({ forgeRepositoryId: '7', forgeFullName: 'o/r' })).toEqual({
      kind: 'http',
      url: 'https://git.example.org/o/r.git',
      authorization: `Basic ${Buffer.from('bot:canary-token').toString('base64')}`,
    });
  });

  it('gets a webhook secret of its own when none is given', () => {
    const secrets = [checkConnection(GITEA).secret, checkConnection(GITEA).secret];

    expect(secrets).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/), expect.stringMatching(/^[0-9a-f]{40}$/)]);
    expect(secrets[0]).not.toBe(secrets[1]);
  });

  it('is refused the name of another, also when both come at once', async () => {
    const add = () => transaction(database.dataSource, (tx) => addConnection(tx, BOX, checkConnection(GITEA)));

    const outcomes = await Promise.allSettled([add(), add(), add()]);

    expect(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'added')).sort()).toEqual(['added', 'conflict', 'conflict']);
  });

  it.each([
    ['a name with a slash', { ...GITEA, name: 'a/b' }, /The name/],
    ['an empty name', { ...GITEA, name: '' }, /The name/],
    ['a namespace that climbs', { ...GITEA, namespace: '..' }, /The namespace/],
    ['a short secret', { ...GITEA, secret: 'short' }, /16 to 64/],
    ['a long secret', { ...GITEA, secret: 'x'.repeat(65) }, /16 to 64/],
    ['no token for an API', { ...GITEA, token: undefined }, /needs the access token of a bot account/],
    ['a token for a folder', { kind: 'git', name: 'x', url: '/srv/git', token: 'canary-token' }, /no token/],
    ['an address that cannot be', { ...GITEA, url: 'ssh://git@x' }, /ssh is not supported/],
  ] as const)('is refused with %s', (_what, given: NewConnection, words) => {
    expect(() => checkConnection(given)).toThrow(expect.objectContaining({ code: 'invalid-input', message: expect.stringMatching(words) }));
  });
});

describe('connections', () => {
  it('are listed in the order they were made, and found by their id', async () => {
    const ids = [await makeConnection(database.dataSource), await makeConnection(database.dataSource, { name: 'second' })];
    const tx = read(database.dataSource);

    expect((await listConnections(tx)).map((connection) => connection.id)).toEqual(ids);
    expect(await findConnection(tx, 999)).toBeNull();
    await expect(readConnection(tx, 999)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('own repositories by their forge owners, or by one namespace', () => {
    expect(ownerOf({ id: 1, namespace: null }, FACTS)).toEqual({ connectionId: 1, forgeOwnerId: '3', name: 'Acme' });
    expect(ownerOf({ id: 1, namespace: 'mirror' }, FACTS)).toEqual({ connectionId: 1, forgeOwnerId: '*', name: 'mirror' });
  });
});

describe('removing a connection', () => {
  const remove = (id: number) => transaction(database.dataSource, (tx) => removeConnection(tx, id));

  it('removes what it delivered', async () => {
    const id = await makeConnection(database.dataSource);
    await deliver(id, null);

    await remove(id);

    expect(await database.dataSource.query('select (select count(*) from delivery) + (select count(*) from forge_connection) as left')).toEqual([{ left: 0 }]);
    await expect(remove(id)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('is refused while it has repositories', async () => {
    const id = await makeConnection(database.dataSource);
    await deliver(id, await makeOwner(database.dataSource, 'Acme'));

    await expect(remove(id)).rejects.toMatchObject({ code: 'conflict', message: expect.stringMatching(/"main" has repositories/) });
  });

  it('never leaves a repository without its connection when a delivery comes at the same time', async () => {
    const ownerId = await makeOwner(database.dataSource, 'Acme');
    for (let round = 0; round < 10; round += 1) {
      const id = await makeConnection(database.dataSource, { name: `c${round}` });

      const [removed, stored] = await Promise.allSettled([remove(id), deliver(id, ownerId)]);

      expect([removed.status, stored.status].sort()).toEqual(['fulfilled', 'rejected']);
      const orphans = await database.dataSource.query('select id from repository where connection_id not in (select id from forge_connection)');
      expect(orphans).toEqual([]);
      await database.dataSource.query('truncate repository, delivery');
    }
  });
});

function deliver(connectionId: number, ownerId: number | null) {
  return transaction(database.dataSource, async (tx) => {
    const repositoryId = ownerId === null ? null : await ensureRepository(tx, connectionId, FACTS, ownerId);
    const event = pushEvent({ before: 'a'.repeat(40), after: 'b'.repeat(40) });
    return storeDelivery(tx, { connectionId, deliveryKey: 'k', eventName: 'push', event, repositoryId, body: Buffer.from('{}') }, new Date());
  });
}
