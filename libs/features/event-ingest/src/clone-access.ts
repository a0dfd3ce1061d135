import { isFailure } from '@triphammer/foundation';
import { connectForge, ensureRepository, ownerOf, type RepositoryRecord, readConnection, readRepository, type SecretBox } from '@triphammer/forges';
import { ensureOwner, type JobTokenClaims, verifyJobToken } from '@triphammer/identity';
import { poolOf, read, transaction } from '@triphammer/models';
import type { DataSource } from 'typeorm';
import type { CloneProxyDeps, CloneTarget, JobAccess } from './clone-proxy/clone-target';

/** What the clone proxy knows of tokens and repositories. */
export function cloneAccess(dataSource: DataSource, secrets: SecretBox, secretKey: string): CloneProxyDeps {
  return {
    verifyJobToken: async (token) => {
      const claims = claimsOf(secretKey, token);
      return claims && jobAccess(dataSource, claims);
    },
    readRepository: async (repositoryId) => targetOf(dataSource, secrets, await readRepository(poolOf(dataSource), repositoryId)),
    refreshRepository: async (repositoryId) => {
      const isThere = await refresh(dataSource, secrets, repositoryId);
      return isThere ? targetOf(dataSource, secrets, await readRepository(poolOf(dataSource), repositoryId)) : undefined;
    },
  };
}

function claimsOf(secretKey: string, token: string): JobTokenClaims | undefined {
  try {
    return verifyJobToken(secretKey, token);
  } catch {
    // Whatever is wrong with it, it is no token of ours.
    return undefined;
  }
}

/** The token lives as long as its task. */
async function jobAccess(dataSource: DataSource, { taskId, repositoryId }: JobTokenClaims): Promise<JobAccess | undefined> {
  const found = await poolOf(dataSource).query<{ job: string; names: string[]; isLive: boolean; endedAt: Date | null; claimedAt: Date }>({
    name: 'clone-job-access',
    text: `select job.name as job, task.status in ('claimed', 'running', 'cancelling') as "isLive", task.stopped_at as "endedAt", task.claimed_at as "claimedAt",
                  array_remove(array[task.repository_name, owner.name || '/' || repository.name], null) as names
             from task join job on job.id = task.job_id
             left join repository on repository.id = task.repository_id left join owner on owner.id = repository.owner_id
            where task.id = $1 and task.repository_id = $2`,
    values: [taskId, repositoryId],
  });
  const task = found.rows[0];
  if (!task) return undefined;
  const access = { repositoryId, names: task.names };
  return task.isLive ? access : { ...access, ended: { job: task.job, at: task.endedAt ?? task.claimedAt } };
}

async function targetOf(dataSource: DataSource, secrets: SecretBox, repository: RepositoryRecord): Promise<CloneTarget> {
  const connection = await readConnection(read(dataSource), repository.connectionId);
  return { repositoryId: repository.id, remote: connectForge(secrets, connection).gitRemote(repository) };
}

/** Takes over what the forge says of a repository. False when the forge has it no more. */
async function refresh(dataSource: DataSource, secrets: SecretBox, repositoryId: number): Promise<boolean> {
  const repository = await readRepository(poolOf(dataSource), repositoryId);
  const connection = await readConnection(read(dataSource), repository.connectionId);
  const { api } = connectForge(secrets, connection);
  if (!api) return true;
  try {
    const facts = await api.readRepository(repository.forgeRepositoryId);
    await transaction(dataSource, async (tx) => {
      const owner = await ensureOwner(tx, ownerOf(connection, facts));
      await ensureRepository(tx, connection.id, facts, owner.id);
    });
    return true;
  } catch (error) {
    if (isFailure(error) && error.code === 'not-found') return false;
    throw error;
  }
}
