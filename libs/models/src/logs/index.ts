import { TaskLogChunk } from './task-log-chunk.entity';
import { TaskLog } from './task-log.entity';

export { TaskLog, TaskLogChunk };
export type { LogEncoding } from './task-log.entity';
export const LOG_ENTITIES = [TaskLog, TaskLogChunk] as const;
