import { EventIngestModule } from '@triphammer/feature-event-ingest';
import { start } from '@triphammer/platform';

void start({ name: 'event-ingest', features: [EventIngestModule], migrations: 'demand' });
