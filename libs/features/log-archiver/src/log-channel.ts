/** Where a process says that a task's log has grown, or is complete. The message has no content: who cares reads the log. */
export function logChannel(taskId: number): string {
  return `log:${taskId}`;
}
