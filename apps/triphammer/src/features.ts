import { ConsoleModule } from '@triphammer/feature-console';
import { EventIngestModule } from '@triphammer/feature-event-ingest';
import { LogArchiverModule } from '@triphammer/feature-log-archiver';
import { StatusReporterModule } from '@triphammer/feature-status-reporter';
import { TaskDispatcherModule } from '@triphammer/feature-task-dispatcher';
import { WorkflowDetectorModule } from '@triphammer/feature-workflow-detector';
import type { FeatureModule } from '@triphammer/platform';

/** All of them: what stands in one process here runs as a process each at scale. */
export const FEATURES: readonly FeatureModule[] = [
  EventIngestModule,
  WorkflowDetectorModule,
  TaskDispatcherModule,
  LogArchiverModule,
  StatusReporterModule,
  ConsoleModule,
];
