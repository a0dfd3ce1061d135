import { transaction } from '@triphammer/models';
import type { DataSource } from 'typeorm';
import { addConnection, checkConnection, type NewConnection } from './connections';
import type { ForgeEvent, Push, RepositoryFacts } from './forge-event';
import type { SecretBox } from './secret-box';

/** Seals visibly, so that a test sees that something was sealed, and for which place. */
export const BOX: SecretBox = {
  seal: (text, context) => `sealed(${context}):${Buffer.from(text).toString('hex')}`,
  open: (sealed, context) => {
    const [place, hex] = sealed.split(/:(?=[0-9a-f]*$)/);
    if (place !== `sealed(${context})`) throw new Error('opened in another place');
    return Buffer.from(hex ?? '', 'hex').toString();
  },
};

export const FACTS: RepositoryFacts = {
  forgeRepositoryId: '7',
  forgeOwnerId: '3',
  ownerName: 'Acme',
  name: 'App',
  fullName: 'Acme/App',
  defaultBranch: 'main',
  isPrivate: false,
  isArchived: false,
};

export async function makeConnection(dataSource: DataSource, given: Partial<NewConnection> = {}): Promise<number> {
  const connection = checkConnection({ kind: 'gitea', name: 'main', url: 'https://git.example.org', token: 'canary-token', ...given });
  return (await transaction(dataSource, (tx) => addConnection(tx, BOX, connection))).id;
}

/** Owners belong to another domain; here only their rows are needed. */
export async function makeOwner(dataSource: DataSource, name: string): Promise<number> {
  const rows = (await dataSource.query('insert into owner (name, lower_name) values ($1, $2) returning id', [name, name.toLowerCase()])) as { id: number }[];
  return (rows[0] as { id: number }).id;
}

export function pushEvent(push: Partial<Push> & Pick<Push, 'before' | 'after'>): ForgeEvent {
  const ref = push.ref ?? 'refs/heads/main';
  const whole: Push = {
    ref,
    refName: ref.replace(/^refs\/\w+\//, ''),
    isTag: false,
    isCreated: false,
    isDeleted: false,
    isTest: false,
    headCommitSha: push.after,
    headCommitMessage: 'message',
    pusher: 'dev',
    ...push,
  };
  return { event: 'push', action: null, repository: FACTS, sender: 'dev', ref, sha: whole.headCommitSha, push: whole, payload: {} };
}

/** Quicker than `truncate` on small tables. */
export async function clear(dataSource: DataSource): Promise<void> {
  await dataSource.query('delete from commit_status; delete from delivery; delete from repository; delete from owner; delete from forge_connection');
}
