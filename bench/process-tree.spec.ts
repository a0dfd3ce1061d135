import { describe, expect, it } from '@jest/globals';
import { cpuSeconds, parseStat, treeOf } from './process-tree';

/** As proc(5) has it, up to field 20: user 300, system 20, waited-for children 4000 and 500. */
const LINE = '4711 (a (very) odd name) S 42 4711 4711 0 -1 4194560 2 0 0 0 300 20 4000 500 20 0 7';

describe('CPU time from /proc', () => {
  it('is read behind a name with blanks and parentheses, with the children that were waited for', () => {
    expect(parseStat(LINE)).toEqual({ pid: 4711, parent: 42, ticks: 4820 });
  });

  it('is not made up from another file', () => {
    expect(() => parseStat('4711 (node) S 42')).toThrow('not a line of /proc/PID/stat');
  });

  it('is that of all descendants and of nobody else', () => {
    const all = [
      { pid: 1, parent: 0, ticks: 1 },
      { pid: 10, parent: 1, ticks: 1 },
      { pid: 11, parent: 10, ticks: 1 },
      { pid: 12, parent: 11, ticks: 1 },
      { pid: 20, parent: 1, ticks: 1 },
    ];

    expect(treeOf(10, all).map(({ pid }) => pid)).toEqual([10, 11, 12]);
  });

  it('agrees with what the process itself is told', () => {
    const { user, system } = process.cpuUsage();
    const own = (user + system) / 1_000_000;

    expect(cpuSeconds([process.pid])).toBeGreaterThanOrEqual(Math.floor(own * 10) / 10);
  });
});
