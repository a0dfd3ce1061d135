import { StatusReporterModule } from '@triphammer/feature-status-reporter';
import { start } from '@triphammer/platform';

void start({ name: 'status-reporter', features: [StatusReporterModule], migrations: 'demand' });
