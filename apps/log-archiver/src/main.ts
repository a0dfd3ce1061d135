import { LogArchiverModule } from '@triphammer/feature-log-archiver';
import { start } from '@triphammer/platform';

void start({ name: 'log-archiver', features: [LogArchiverModule], migrations: 'demand' });
