/** The lines of a log without their times. A step's script stands in its log too: only a whole line tells what was printed. */
export function logLines(log: string): readonly string[] {
  return log.split('\n').map((line) => line.replace(/^\S+Z /, ''));
}
