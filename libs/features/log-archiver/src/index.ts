export { LOG_ARCHIVER_API } from './log-archiver-api';
export { LogArchiverModule } from './log-archiver.module';
