import { readdirSync, readFileSync } from 'node:fs';

/** The unit of the times in `/proc/PID/stat`, as `getconf CLK_TCK` prints it; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** User and system time of all its threads, and of the children that it has waited for. */
  readonly ticks: number;
}

/** Reads `/proc/PID/stat`, see proc(5). The name stands in parentheses and may hold blanks and parentheses itself. */
export function parseStat(line: string): ProcessStat {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const times = fields.slice(11, 15).map(Number);
  if (times.length < 4 || times.some(Number.isNaN)) throw new Error(`not a line of /proc/PID/stat: ${line}`);
  return { pid: Number(line.slice(0, line.indexOf(' '))), parent: Number(fields[1]), ticks: times.reduce((sum, each) => sum + each, 0) };
}

/** The process and all that descend from it. */
export function treeOf(root: number, all: readonly ProcessStat[]): readonly ProcessStat[] {
  const own = all.filter(({ pid }) => pid === root);
  return [...own, ...all.filter(({ parent }) => parent === root).flatMap(({ pid }) => treeOf(pid, all))];
}

/**
 * CPU seconds so far of these processes with everything they started: a service and its embedded Postgres with all its
 * backends. A backend that has ended counts on in the Postgres that waited for it.
 */
export function cpuSeconds(roots: readonly number[]): number {
  const all = allProcesses();
  const ticks = roots.flatMap((root) => treeOf(root, all)).reduce((sum, each) => sum + each.ticks, 0);
  return ticks / TICKS_PER_SECOND;
}

/** Memory of the same processes in bytes; what several of them share counts once. */
export function memoryBytes(roots: readonly number[]): number {
  const all = allProcesses();
  return roots.flatMap((root) => treeOf(root, all)).reduce((sum, { pid }) => sum + proportionalSize(pid), 0);
}

/** Asks everything that this process started to end; a service ends its Postgres itself. */
export function endDescendants(root: number): void {
  for (const { pid } of allProcesses().filter(({ parent }) => parent === root)) process.kill(pid, 'SIGTERM');
}

function allProcesses(): readonly ProcessStat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const line = readIfThere(`/proc/${pid}/stat`);
      return line === undefined ? [] : [parseStat(line)];
    });
}

function proportionalSize(pid: number): number {
  const kibibytes = /^Pss:\s+(\d+) kB$/m.exec(readIfThere(`/proc/${pid}/smaps_rollup`) ?? '');
  return Number(kibibytes?.[1] ?? 0) * 1_024;
}

/** Processes end while their folder is being read. */
function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
