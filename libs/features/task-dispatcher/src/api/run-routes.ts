import { API_PREFIX, type ApiRoute, apiRoute, page, PAGE_QUERY } from '@triphammer/api-kit';
import { poolOf, transaction } from '@triphammer/models';
import { cancelRun, findRun, findRuns } from '@triphammer/runs';
import { z } from 'zod';
import type { ApiDeps } from './api-deps';
import { idIn, notFound, repositoryIn } from './path-names';
import { refOf, RUN, RUN_LIST, showRun } from './run-shape';
import { STATUS_FILTER } from './status-words';

const RUN_QUERY = PAGE_QUERY.extend({
  event: z.string().optional(),
  branch: z.string().optional(),
  status: STATUS_FILTER,
  actor: z.string().optional(),
  head_sha: z.string().optional(),
});

export const RUN_ROUTES: readonly ApiRoute<ApiDeps>[] = [
  apiRoute(
    { method: 'GET', path: '/admin/actions/runs', summary: 'Lists the runs of all repositories, the newest first', query: RUN_QUERY, response: RUN_LIST },
    (deps: ApiDeps, { query }) => listRuns(deps, query),
  ),
  apiRoute(
    { method: 'GET', path: '/admin/actions/runs/{run}', summary: 'Shows a run, of whatever repository', response: RUN },
    (deps: ApiDeps, { parameters }) => readRun(deps, parameters.run),
  ),
  apiRoute(
    {
      method: 'GET',
      path: '/repos/{owner}/{repo}/actions/runs',
      summary: "Lists a repository's runs, the newest first",
      query: RUN_QUERY,
      response: RUN_LIST,
    },
    async (deps: ApiDeps, { parameters, query }) => listRuns(deps, query, await repositoryIn(poolOf(deps.dataSource), parameters)),
  ),
  apiRoute({ method: 'GET', path: '/repos/{owner}/{repo}/actions/runs/{run}', summary: 'Shows a run', response: RUN }, async (deps: ApiDeps, { parameters }) =>
    readRun(deps, parameters.run, await repositoryIn(poolOf(deps.dataSource), parameters)),
  ),
  apiRoute(
    {
      method: 'POST',
      path: '/repos/{owner}/{repo}/actions/runs/{run}/cancel',
      summary: 'Cancels what is left of a run; a run that is over stays as it is',
      status: 204,
    },
    async ({ dataSource, clock }: ApiDeps, { parameters }) => {
      const repositoryId = await repositoryIn(poolOf(dataSource), parameters);
      const runId = idIn(parameters.run, 'run');
      if (!(await findRun(poolOf(dataSource), runId, repositoryId))) throw notFound('run', runId);
      await transaction(dataSource, (tx) => cancelRun(tx, runId, clock.now()));
      return undefined;
    },
  ),
];

async function listRuns({ dataSource, config }: ApiDeps, query: z.output<typeof RUN_QUERY>, repositoryId?: number) {
  const { event, branch, status, actor, head_sha: sha, ...window } = query;
  const filter = { repositoryId, event, ref: branch === undefined ? undefined : refOf(branch), statuses: status, actor, sha };
  const { runs, total } = await findRuns(poolOf(dataSource), filter, window);
  return page({ total_count: total, workflow_runs: runs.map((run) => showRun(run, config.network.publicUrl + API_PREFIX)) }, total, window);
}

async function readRun({ dataSource, config }: ApiDeps, id: string, repositoryId?: number) {
  const run = await findRun(poolOf(dataSource), idIn(id, 'run'), repositoryId);
  if (!run) throw notFound('run', id);
  return showRun(run, config.network.publicUrl + API_PREFIX);
}
