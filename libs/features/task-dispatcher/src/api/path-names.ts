import { findRepository } from '@triphammer/forges';
import { Failure } from '@triphammer/foundation';
import type { Sql } from '@triphammer/models';
import { findOwnerId } from '@triphammer/runs';

const ID = /^[1-9]\d{0,14}$/;

/** The id that a path names. What is no id names nothing: `not-found`. */
export function idIn(text: string, what: string): number {
  if (!ID.test(text)) throw notFound(what, text);
  return Number(text);
}

/** The id of the repository that a path names; throws `not-found`. */
export async function repositoryIn(sql: Sql, { owner, repo }: { readonly owner: string; readonly repo: string }): Promise<number> {
  const repository = await findRepository(sql, owner, repo);
  if (!repository) {
    throw new Failure('not-found', `There is no repository ${owner}/${repo}. A repository becomes known with its first webhook.`);
  }
  return repository.id;
}

/** The id of the owner that a path names, whether the forge calls it a user or an organisation; throws `not-found`. */
export async function ownerIn(sql: Sql, { org }: { readonly org: string }): Promise<number> {
  const id = await findOwnerId(sql, org);
  if (id === undefined) throw new Failure('not-found', `There is no owner ${org}. An owner becomes known with the first webhook of a repository.`);
  return id;
}

export function notFound(what: string, id: string | number): Failure {
  return new Failure('not-found', `There is no ${what} ${id}.`);
}
