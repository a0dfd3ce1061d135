import type { ApiRoute } from '@triphammer/api-kit';
import type { ApiDeps } from './api-deps';
import { JOB_ROUTES } from './job-routes';
import { RUN_ROUTES } from './run-routes';
import { RUNNER_ROUTES } from './runner-routes';

/** Runs, jobs and runners below `/api/v1`; Gitea's paths and shapes where Gitea has them. */
export const TASK_DISPATCHER_API: readonly ApiRoute<ApiDeps>[] = [...RUN_ROUTES, ...JOB_ROUTES, ...RUNNER_ROUTES];
