export { WorkflowDetectorModule } from './workflow-detector.module';
