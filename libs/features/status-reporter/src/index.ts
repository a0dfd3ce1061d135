export { StatusReporterModule } from './status-reporter.module';
