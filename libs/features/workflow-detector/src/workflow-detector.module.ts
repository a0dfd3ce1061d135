import { Module } from '@nestjs/common';
import { DetectorGitCache, DetectWorkflows } from './detect-workflows';

/** Finds the workflows at the commit of a webhook, decides which of them run and why, and starts them. */
@Module({ controllers: [DetectWorkflows], providers: [DetectorGitCache] })
export class WorkflowDetectorModule {}
