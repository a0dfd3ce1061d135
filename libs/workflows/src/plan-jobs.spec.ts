import { describe, expect, it } from '@jest/globals';
import { planJobs } from './plan-jobs';
import { readWorkflow } from './read-workflow';

const STEPS = 'steps: [{run: a}]';

function plan(jobs: string) {
  const { workflow, diagnostics } = readWorkflow(`on: push\njobs:\n${jobs}`, { path: 'ci.yml' });
  if (!workflow) throw new Error(JSON.stringify(diagnostics));
  return planJobs(workflow, { eventName: 'push' });
}

const namesOf = (jobs: string) => plan(jobs).jobs.map((job) => job.name);

describe('the plan of a run', () => {
  it('holds every job in the order of the file, every combination in the order of its lists', () => {
    const { jobs, diagnostics } = plan(`
  last: {needs: build, ${STEPS}}
  build:
    runs-on: ['\${{ matrix.os }}', x]
    strategy: {matrix: {os: [mac, linux], node: [20, 8]}}
    timeout-minutes: 5
    continue-on-error: true
    ${STEPS}`);

    expect(diagnostics).toEqual([]);
    expect(jobs.map(({ payload: _payload, ...job }) => job).slice(0, 2)).toEqual([
      {
        jobId: 'last',
        name: 'last',
        matrix: null,
        matrixIndex: 0,
        matrixTotal: 1,
        needs: ['build'],
        condition: null,
        runsOn: [],
        continueOnError: false,
        timeoutMinutes: null,
      },
      {
        jobId: 'build',
        name: 'build (mac, 20)',
        matrix: { os: 'mac', node: 20 },
        matrixIndex: 0,
        matrixTotal: 4,
        needs: [],
        condition: null,
        runsOn: ['mac', 'x'],
        continueOnError: true,
        timeoutMinutes: 5,
      },
    ]);
    expect(jobs.slice(1).map((job) => job.name)).toEqual(['build (mac, 20)', 'build (mac, 8)', 'build (linux, 20)', 'build (linux, 8)']);
  });

  it.each([
    ['{}', 'j'],
    ['{name: N}', 'N'],
    ['{name: " "}', 'j'],
    ['{strategy: {matrix: {v: [1.10]}}}', 'j (1.1)'],
    ['{name: N, strategy: {matrix: {v: [true]}}}', 'N (true)'],
    ['{name: "on ${{ matrix.v }}", strategy: {matrix: {v: [a], w: [b]}}}', 'on a'],
    ['{name: "${{ matrix.v }}", strategy: {matrix: {v: [~], w: [b]}}}', 'j (b)'],
    ['{strategy: {matrix: {v: [~], w: [""], x: [b]}}}', 'j (b)'],
    [`{name: "\${{ format('{0}!', matrix.v) }}", strategy: {matrix: {v: [a]}}}`, 'a!'],
    [`{name: "\${{ 'it''s }} so' }}"}`, "it's }} so"],
    ['{strategy: {matrix: {v: [~]}}}', 'j'],
    ['{strategy: {matrix: {v: [{os: linux, cc: [gcc, 12]}]}}}', 'j (linux, gcc, 12)'],
    [`{name: ${'😀'.repeat(300)}}`, '😀'.repeat(255)],
  ])('names a job %s', (job, name) => {
    expect(namesOf(`  j: ${job.replace(/}$/, `${job === '{}' ? '' : ', '}runs-on: x, ${STEPS}}`)}`)).toEqual([name]);
  });

  it('takes labels from a matrix of lists', () => {
    const { jobs } = plan(`  j: {runs-on: '\${{ matrix.on }}', strategy: {matrix: {on: [[self-hosted, gpu], 7]}}, ${STEPS}}`);

    expect(jobs.map((job) => job.runsOn)).toEqual([['self-hosted', 'gpu'], ['7']]);
  });

  it.each(['{os: linux}', '[]', '[a, ~]', '""', '{}', 'x'.repeat(256)])('refuses %.20s as a label, at the place of runs-on', (value) => {
    const { jobs, diagnostics } = plan(`  j:\n    runs-on: \${{ matrix.on }}\n    strategy: {matrix: {on: [a, ${value}]}}\n    ${STEPS}`);

    expect(jobs).toEqual([]);
    expect(diagnostics).toEqual([expect.objectContaining({ severity: 'error', code: 'wrong-value', line: 4, column: 5 })]);
  });

  it('takes labels from an expression over the matrix', () => {
    const label = `\${{ startsWith(matrix.os, 'win') && fromJSON('["self-hosted", "windows"]') || 'linux' }}`;
    const { jobs } = plan(`  j: {runs-on: "${label.replaceAll('"', '\\"')}", strategy: {matrix: {os: [windows-11, debian]}}, ${STEPS}}`);

    expect(jobs.map((job) => job.runsOn)).toEqual([['self-hosted', 'windows'], ['linux']]);
  });

  it.each([
    ['runs-on', 4, '"runs-on" of the job "j" cannot be computed: fromJSON was given a text that is no JSON'],
    ['name', 3, 'the name of the job "j" cannot be computed: fromJSON was given a text that is no JSON'],
  ])('says why %s cannot be computed', (key, line, message) => {
    const { jobs, diagnostics } = plan(`  j:\n    ${key}: \${{ fromJSON(matrix.v) }}\n    strategy: {matrix: {v: ['1', '{']}}\n    ${STEPS}`);

    expect(jobs).toEqual([]);
    expect(diagnostics).toContainEqual(expect.objectContaining({ severity: 'error', code: 'invalid-expression', line, message }));
  });

  it('names combinations by all their values, and refuses a job that is left none', () => {
    const job = (matrix: string) => `  j: {runs-on: '\${{ matrix.os }}', strategy: {matrix: ${matrix}}, ${STEPS}}`;

    const { jobs } = plan(job('{os: [l, m], v: [1], exclude: [{os: m}], include: [{os: l, x: {y: 2}}, {os: w}]}'));

    expect(jobs.map(({ name, runsOn, matrix }) => [name, runsOn, matrix])).toEqual([
      ['j (l, 1, 2)', ['l'], { os: 'l', v: 1, x: { y: 2 } }],
      ['j (w)', ['w'], { os: 'w' }],
    ]);
    expect(plan(job('{os: [l], exclude: [{os: l}]}')).diagnostics).toEqual([expect.objectContaining({ code: 'not-supported-yet', line: 3 })]);
  });

  it('excludes before it counts', () => {
    const list = `[${Array.from({ length: 20 }, (_, n) => n)}]`;
    const exclude = `[${Array.from({ length: 10 }, (_, n) => `{a: ${n}}`)}]`;

    expect(plan(`  j: {runs-on: x, strategy: {matrix: {a: ${list}, b: ${list}, exclude: ${exclude}}}, ${STEPS}}`).jobs).toHaveLength(200);
  });

  it('gives each combination its own time and tolerance', () => {
    const { jobs, diagnostics } = plan(`
  j:
    runs-on: x
    timeout-minutes: \${{ matrix.slow && 90 || matrix.time }}
    continue-on-error: \${{ matrix.canary }}
    strategy: {matrix: {v: [1, 2], time: [10, '20.5'], exclude: [{v: 2, time: 10}], include: [{v: 2, slow: true, canary: true}]}}
    ${STEPS}`);

    expect(diagnostics).toEqual([]);
    expect(jobs.map((job) => [job.timeoutMinutes, job.continueOnError])).toEqual([
      [10, false],
      [20.5, false],
      [90, true],
    ]);
    expect(jobs.map((job) => JSON.parse(job.payload).jobs.j['timeout-minutes'])).toEqual([10, 20.5, 90]);
  });

  it.each([
    ['timeout-minutes', '0', '"timeout-minutes" of the job "j" must give a number above 0 and at most 527040, not "0"'],
    ['timeout-minutes', 'soon', '"timeout-minutes" of the job "j" must give a number above 0 and at most 527040, not "soon"'],
    ['timeout-minutes', '{a: 1}', '"timeout-minutes" of the job "j" must give a number above 0 and at most 527040, not ""'],
    ['continue-on-error', '1', '"continue-on-error" of the job "j" must give true or false, not "1"'],
    ['continue-on-error', 'yes', '"continue-on-error" of the job "j" must give true or false, not "yes"'],
  ])('refuses a %s of %s from the matrix', (key, value, message) => {
    const { jobs, diagnostics } = plan(`  j:\n    runs-on: x\n    ${key}: \${{ matrix.v }}\n    strategy: {matrix: {v: [${value}]}}\n    ${STEPS}`);

    expect(jobs).toEqual([]);
    expect(diagnostics).toEqual([{ severity: 'error', code: 'wrong-value', line: 5, column: 8 + key.length - 1, message }]);
  });

  it('counts combinations before it makes them', () => {
    const axis = (name: string) => `${name}: [${Array.from({ length: 100 }, (_, n) => n)}]`;

    const { jobs, diagnostics } = plan(`  a: {runs-on: x, ${STEPS}}\n  j: {runs-on: x, strategy: {matrix: {${'abcdefgh'.split('').map(axis)}}}, ${STEPS}}`);

    expect(jobs).toEqual([]);
    expect(diagnostics).toEqual([expect.objectContaining({ code: 'too-many-jobs', line: 4, column: 3 })]);
  });

  it('takes 256 jobs and not one more', () => {
    const job = (count: number) => `  j: {runs-on: x, strategy: {matrix: {n: [${Array.from({ length: count }, (_, n) => n)}]}}, ${STEPS}}`;

    expect(plan(job(256)).jobs).toHaveLength(256);
    expect(plan(job(257)).diagnostics).toEqual([expect.objectContaining({ code: 'too-many-jobs' })]);
  });

  it('refuses a run whose payloads multiply beyond the limit', () => {
    const { jobs, diagnostics } = plan(
      `  j: {runs-on: x, strategy: {matrix: {n: [${Array.from({ length: 200 }, (_, n) => n)}]}}, steps: [{run: ${'x'.repeat(500_000)}}]}`,
    );

    expect(jobs).toEqual([]);
    expect(diagnostics).toEqual([expect.objectContaining({ code: 'run-too-large', line: 3 })]);
  });

  it('gives the same bytes for the same file', () => {
    const jobs = `  j: {runs-on: '\${{ matrix.b }}', strategy: {matrix: {b: [1, 2], a: [{x: 1}]}}, env: {z: 1, a: 2}, ${STEPS}}`;

    expect(JSON.stringify(plan(jobs))).toBe(JSON.stringify(plan(jobs)));
  });
});
