import { API_PREFIX, type ApiRoute, apiRoute, page, PAGE_QUERY } from '@triphammer/api-kit';
import { poolOf } from '@triphammer/models';
import { explainJobs, findJob, findJobs, findRun, type JobRecord } from '@triphammer/runs';
import type { z } from 'zod';
import type { ApiDeps } from './api-deps';
import { JOB, JOB_LIST, showJob } from './job-shape';
import { onlineSince } from './online-since';
import { idIn, notFound, repositoryIn } from './path-names';
import { STATUS_FILTER } from './status-words';

const JOB_QUERY = PAGE_QUERY.extend({ status: STATUS_FILTER });

export const JOB_ROUTES: readonly ApiRoute<ApiDeps>[] = [
  apiRoute(
    { method: 'GET', path: '/admin/actions/jobs', summary: 'Lists the jobs of all repositories, the newest first', query: JOB_QUERY, response: JOB_LIST },
    (deps: ApiDeps, { query }) => listJobs(deps, query),
  ),
  apiRoute(
    { method: 'GET', path: '/admin/actions/jobs/{job_id}', summary: 'Shows a job, of whatever repository', response: JOB },
    (deps: ApiDeps, { parameters }) => readJob(deps, parameters.job_id),
  ),
  apiRoute(
    {
      method: 'GET',
      path: '/repos/{owner}/{repo}/actions/runs/{run}/jobs',
      summary: "Lists the jobs of a run's latest attempt, in the order of the workflow",
      query: JOB_QUERY,
      response: JOB_LIST,
    },
    async (deps: ApiDeps, { parameters, query }) => {
      const repositoryId = await repositoryIn(poolOf(deps.dataSource), parameters);
      const runId = idIn(parameters.run, 'run');
      if (!(await findRun(poolOf(deps.dataSource), runId, repositoryId))) throw notFound('run', runId);
      return listJobs(deps, query, runId);
    },
  ),
  apiRoute(
    { method: 'GET', path: '/repos/{owner}/{repo}/actions/jobs/{job_id}', summary: 'Shows a job, with why it waits', response: JOB },
    async (deps: ApiDeps, { parameters }) => readJob(deps, parameters.job_id, await repositoryIn(poolOf(deps.dataSource), parameters)),
  ),
];

async function listJobs(deps: ApiDeps, { status, ...window }: z.output<typeof JOB_QUERY>, runId?: number) {
  const { jobs, total } = await findJobs(poolOf(deps.dataSource), { runId, statuses: status }, window);
  return page({ total_count: total, jobs: await showJobs(deps, jobs) }, total, window);
}

async function readJob(deps: ApiDeps, id: string, repositoryId?: number) {
  const job = await findJob(poolOf(deps.dataSource), idIn(id, 'job'), repositoryId);
  const [shown] = await showJobs(deps, job ? [job] : []);
  if (!shown) throw notFound('job', id);
  return shown;
}

async function showJobs(deps: ApiDeps, jobs: readonly JobRecord[]) {
  const reasons = await explainJobs(poolOf(deps.dataSource), jobs, onlineSince(deps));
  return jobs.map((job) => showJob(job, reasons.get(job.id), deps.config.network.publicUrl + API_PREFIX));
}
