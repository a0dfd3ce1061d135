import { type ApiRoute, apiRoute, page, PAGE_QUERY } from '@triphammer/api-kit';
import { poolOf, transaction } from '@triphammer/models';
import { createRegistrationToken, findRunner, findRunners, retireRunner, type RunnerFilter } from '@triphammer/runs';
import { z } from 'zod';
import type { ApiDeps } from './api-deps';
import { onlineSince } from './online-since';
import { idIn, notFound, ownerIn, repositoryIn } from './path-names';
import { RUNNER, RUNNER_LIST, showRunner } from './runner-shape';

const TOKEN = z.object({ token: z.string().describe('Shown this once') });

export const RUNNER_ROUTES: readonly ApiRoute<ApiDeps>[] = [
  apiRoute(
    { method: 'GET', path: '/admin/actions/runners', summary: 'Lists all runners', query: PAGE_QUERY, response: RUNNER_LIST },
    (deps: ApiDeps, { query }) => listRunners(deps, {}, query),
  ),
  apiRoute(
    { method: 'GET', path: '/orgs/{org}/actions/runners', summary: "Lists an owner's runners", query: PAGE_QUERY, response: RUNNER_LIST },
    async (deps: ApiDeps, { parameters, query }) => listRunners(deps, { ownerId: await ownerIn(poolOf(deps.dataSource), parameters) }, query),
  ),
  apiRoute(
    { method: 'GET', path: '/repos/{owner}/{repo}/actions/runners', summary: "Lists a repository's runners", query: PAGE_QUERY, response: RUNNER_LIST },
    async (deps: ApiDeps, { parameters, query }) => listRunners(deps, { repositoryId: await repositoryIn(poolOf(deps.dataSource), parameters) }, query),
  ),
  apiRoute(
    { method: 'GET', path: '/admin/actions/runners/{runner_id}', summary: 'Shows a runner', response: RUNNER },
    async (deps: ApiDeps, { parameters }) => {
      const runner = await findRunner(poolOf(deps.dataSource), idIn(parameters.runner_id, 'runner'));
      if (!runner) throw notFound('runner', parameters.runner_id);
      return showRunner(runner, onlineSince(deps));
    },
  ),
  apiRoute(
    { method: 'DELETE', path: '/admin/actions/runners/{runner_id}', summary: 'Removes a runner: it gets no further job', status: 204 },
    async ({ dataSource, clock }: ApiDeps, { parameters }) => {
      const runnerId = idIn(parameters.runner_id, 'runner');
      if (!(await findRunner(poolOf(dataSource), runnerId))) throw notFound('runner', runnerId);
      await transaction(dataSource, (tx) => retireRunner(tx, runnerId, clock.now()));
      return undefined;
    },
  ),
  apiRoute(
    {
      method: 'POST',
      path: '/admin/actions/runners/registration-token',
      summary: "Makes a token with which runners register for everybody's jobs",
      response: TOKEN,
    },
    (deps: ApiDeps) => makeToken(deps, { ownerId: null, repositoryId: null }),
  ),
  apiRoute(
    {
      method: 'POST',
      path: '/orgs/{org}/actions/runners/registration-token',
      summary: "Makes a token with which runners register for one owner's jobs",
      response: TOKEN,
    },
    async (deps: ApiDeps, { parameters }) => makeToken(deps, { ownerId: await ownerIn(poolOf(deps.dataSource), parameters), repositoryId: null }),
  ),
  apiRoute(
    {
      method: 'POST',
      path: '/repos/{owner}/{repo}/actions/runners/registration-token',
      summary: "Makes a token with which runners register for one repository's jobs",
      response: TOKEN,
    },
    async (deps: ApiDeps, { parameters }) => makeToken(deps, { ownerId: null, repositoryId: await repositoryIn(poolOf(deps.dataSource), parameters) }),
  ),
];

async function listRunners(deps: ApiDeps, filter: RunnerFilter, window: z.output<typeof PAGE_QUERY>) {
  const { runners, total } = await findRunners(poolOf(deps.dataSource), filter, window);
  return page({ total_count: total, runners: runners.map((runner) => showRunner(runner, onlineSince(deps))) }, total, window);
}

async function makeToken({ dataSource, clock }: ApiDeps, scope: Parameters<typeof createRegistrationToken>[1]) {
  return { token: await transaction(dataSource, (tx) => createRegistrationToken(tx, scope, clock.now())) };
}
