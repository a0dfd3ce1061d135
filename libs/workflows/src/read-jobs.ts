import { type DiagnosticLog, quote } from './diagnostic';
import { asMapping } from './fields';
import { readJob } from './read-job';
import type { Job } from './workflow';
import type { YamlEntry, YamlNode } from './yaml-node';

/** Jobs of one run, matrix combinations counted one by one. */
export const MAX_JOBS = 256;

const JOB_ID = /^[A-Za-z_][\w-]{0,99}$/;

/** Reads `jobs:` and checks what they say about each other. */
export function readJobs(node: YamlNode, log: DiagnosticLog): readonly Job[] {
  const entries = asMapping(node, '"jobs"', log)?.entries;
  if (!entries) return [];
  if (entries.length === 0) log.error(node.at, 'missing-key', '"jobs" is empty; a workflow has at least one job');
  if (entries.length > MAX_JOBS) {
    log.error(node.at, 'too-many-jobs', `there are ${entries.length} jobs; a run can have at most ${MAX_JOBS}`);
    return [];
  }
  for (const entry of entries) checkId(entry, log);
  const ids = new Set(entries.map((entry) => entry.key));
  const jobs = entries.map((entry) => readJob(entry, ids, log)).filter((job) => job !== null);
  reportCycles(jobs, log);
  return jobs;
}

function checkId({ key, at }: YamlEntry, log: DiagnosticLog): void {
  if (!JOB_ID.test(key)) {
    log.error(at, 'invalid-job-id', `${quote(key)} cannot be the id of a job; use up to 100 letters, digits, "_" and "-", beginning with a letter or "_"`);
  }
}

/** Walks the needs depth first; a job that is met again on its own path closes a circle. Each circle is told once. */
function reportCycles(jobs: readonly Job[], log: DiagnosticLog): void {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const done = new Set<string>();
  const visit = (job: Job, path: readonly string[]): void => {
    const start = path.indexOf(job.id);
    if (start !== -1) {
      const circle = [...path.slice(start), job.id].join(' → ');
      log.error(job.at, 'needs-cycle', `these jobs wait for each other and none can start: ${circle}`);
      return;
    }
    if (done.has(job.id)) return;
    for (const need of job.needs) {
      const needed = byId.get(need);
      if (needed) visit(needed, [...path, job.id]);
    }
    done.add(job.id);
  };
  for (const job of jobs) visit(job, []);
}
