import { Module } from '@nestjs/common';
import { PostStatuses } from './post-statuses';
import { WantStatuses } from './want-statuses';

/** Shows the state of jobs at the commits of the forge. */
@Module({ controllers: [WantStatuses], providers: [PostStatuses] })
export class StatusReporterModule {}
