import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { PlainGitForge } from '../harness/plain-git';

interface ExpectedJob {
  readonly name: string;
  readonly state: string;
  readonly log?: readonly string[];
  readonly notInLog?: readonly string[];
  /** Lines that the log holds, complete and in order. */
  readonly sequence?: { readonly prefix: string; readonly from: number; readonly to: number };
}

interface Expected {
  readonly run: string;
  readonly jobs: readonly ExpectedJob[];
}

/** One test for each folder beside this file: its workflow is pushed and the run compared with what is expected. */
export function describePlainWorkflows(forge: () => PlainGitForge): void {
  const folders = readdirSync(__dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) {
    it(`runs ${name}`, async () => {
      const workflow = readFileSync(join(__dirname, name, 'workflow.yml'), 'utf8');
      const expected = JSON.parse(readFileSync(join(__dirname, name, 'expected.json'), 'utf8')) as Expected;
      const repository = `acme/${name}`;

      const started = await forge().pushWorkflow(repository, workflow);
      const { run, jobs } = await forge().finished(repository, started);

      expect(jobs.map((job) => [job.name, job.state])).toEqual(expected.jobs.map((job) => [job.name, job.state]));
      expect(run.state).toBe(expected.run);
      for (const job of expected.jobs) {
        if (job.log === undefined && job.notInLog === undefined && job.sequence === undefined) continue;
        const log = await forge().api.log(repository, jobs.find((each) => each.name === job.name)?.id ?? 0);
        for (const text of job.log ?? []) expect(log).toContain(text);
        for (const text of job.notInLog ?? []) expect(log).not.toContain(text);
        if (job.sequence) expect(sequenceIn(log, job.sequence.prefix)).toEqual(numbers(job.sequence.from, job.sequence.to));
      }
    });
  }
}

export function sequenceIn(log: string, prefix: string): readonly number[] {
  return [...log.matchAll(new RegExp(` ${prefix}(\\d+)$`, 'gm'))].map((match) => Number(match[1]));
}

export function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}
