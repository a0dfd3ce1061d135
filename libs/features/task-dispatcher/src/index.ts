export { TASK_DISPATCHER_API } from './api/task-dispatcher-api';
export { TaskDispatcherModule } from './task-dispatcher.module';
