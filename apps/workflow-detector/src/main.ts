import { WorkflowDetectorModule } from '@triphammer/feature-workflow-detector';
import { start } from '@triphammer/platform';

void start({ name: 'workflow-detector', features: [WorkflowDetectorModule], migrations: 'demand' });
