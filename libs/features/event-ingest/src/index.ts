export { EVENT_INGEST_API } from './event-ingest-api';
export { EventIngestModule } from './event-ingest.module';
