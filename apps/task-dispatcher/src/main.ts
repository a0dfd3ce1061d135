import { TaskDispatcherModule } from '@triphammer/feature-task-dispatcher';
import { start } from '@triphammer/platform';

void start({ name: 'task-dispatcher', features: [TaskDispatcherModule], migrations: 'demand' });
