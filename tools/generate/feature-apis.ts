import type { ApiRoute } from '@triphammer/api-kit';
import { CONSOLE_API } from '@triphammer/feature-console';
import { EVENT_INGEST_API } from '@triphammer/feature-event-ingest';
import { LOG_ARCHIVER_API } from '@triphammer/feature-log-archiver';
import { TASK_DISPATCHER_API } from '@triphammer/feature-task-dispatcher';

interface FeatureApi {
  /** In the gateway's configuration. */
  readonly upstream: string;
  readonly routes: readonly ApiRoute<never>[];
}

/** Every feature that serves a part of `/api/v1`. A test walks the features. */
export const FEATURE_APIS: readonly FeatureApi[] = [
  { upstream: 'event_ingest', routes: EVENT_INGEST_API },
  { upstream: 'task_dispatcher', routes: TASK_DISPATCHER_API },
  { upstream: 'log_archiver', routes: LOG_ARCHIVER_API },
  { upstream: 'console', routes: CONSOLE_API },
];
