import { describe, expect, it } from '@jest/globals';
import { readWorkflow } from './read-workflow';

const PATH = '.gitea/workflows/ci.yml';
const STEPS = 'steps: [{run: a}]';
const PLAIN = `{runs-on: x, ${STEPS}}`;

function found(text: string) {
  const { diagnostics } = readWorkflow(text, { path: PATH });
  return diagnostics.map(({ severity, code, line, column }) => `${severity} ${code} ${line}:${column}`);
}

describe('a workflow file', () => {
  it('is read into a model with everything that the slice knows', () => {
    const text = `name: CI
run-name: nightly
on: push
env: {A: 010, B: 1.10, C: True, D: }
defaults: {run: {shell: bash, working-directory: src}}
permissions: {contents: read}
jobs:
  build:
    name: Build on \${{ matrix.os }}
    needs: [lint, lint]
    runs-on: [self-hosted, '\${{ matrix.os }}']
    strategy: {matrix: {os: [linux, mac], node: [18, 20]}, fail-fast: false}
    timeout-minutes: '4.5'
    continue-on-error: true
    env: {X: 1}
    outputs: {o: '\${{ steps.s.outputs.o }}'}
    permissions: read-all
    container: {image: 'node:20', ports: [80, '8080:80'], env: {P: 5}}
    services: {pg: postgres, redis: {image: redis}}
    steps:
      - {id: s, run: echo hi, shell: sh, env: {Q: 1}, if: true, timeout-minutes: 3}
      - {uses: actions/checkout@v4, with: {fetch-depth: 0}}
  lint: ${PLAIN}
`;

    const { workflow, diagnostics } = readWorkflow(text, { path: PATH });

    expect(diagnostics).toEqual([]);
    expect(workflow).toMatchObject({
      path: PATH,
      name: 'CI',
      runName: 'nightly',
      env: { A: '010', B: '1.10', C: 'True', D: '' },
      defaults: { run: { shell: 'bash', 'working-directory': 'src' } },
      permissions: { contents: 'read' },
    });
    expect(workflow?.jobs.map((job) => job.id)).toEqual(['build', 'lint']);
    expect(workflow?.jobs[0]).toEqual({
      id: 'build',
      at: { line: 8, column: 3 },
      name: ['Build on ', expect.objectContaining({ property: ['matrix', 'os'] })],
      condition: null,
      needs: ['lint'],
      runsOn: [['self-hosted'], [expect.objectContaining({ property: ['matrix', 'os'] })]],
      runsOnAt: { line: 11, column: 5 },
      strategy: {
        matrix: {
          axes: [
            { name: 'os', values: ['linux', 'mac'] },
            { name: 'node', values: [18, 20] },
          ],
          include: [],
          exclude: [],
        },
        failFast: false,
        maxParallel: null,
      },
      timeoutMinutes: 4.5,
      timeoutAt: expect.anything(),
      continueOnError: true,
      continueOnErrorAt: expect.anything(),
      env: { X: '1' },
      outputs: { o: '${{ steps.s.outputs.o }}' },
      defaults: null,
      permissions: 'read-all',
      container: { image: 'node:20', ports: ['80', '8080:80'], env: { P: '5' } },
      services: { pg: { image: 'postgres' }, redis: { image: 'redis' } },
      steps: [
        { id: 's', run: 'echo hi', shell: 'sh', env: { Q: '1' }, if: true, 'timeout-minutes': 3 },
        { uses: 'actions/checkout@v4', with: { 'fetch-depth': '0' } },
      ],
    });
  });

  it('gives each job its own copy of what an anchor shares', () => {
    const { workflow } = readWorkflow(`on: push\njobs:\n  a: {runs-on: x, env: &e {X: 1}, ${STEPS}}\n  b: {runs-on: x, env: *e, ${STEPS}}`, { path: PATH });

    expect(workflow?.jobs.map((job) => job.env)).toEqual([{ X: '1' }, { X: '1' }]);
  });

  it('tells everything that is wrong at once, in the order of the file', () => {
    const text = `on: push
concurrency: x
jobs:
  a:
    environment: e
    runs-on: x
    steps: []
  b: {needs: c, ${STEPS}}
`;

    expect(found(text)).toEqual([
      'error not-supported-yet 2:1',
      'error not-supported-yet 5:5',
      'error missing-key 7:5',
      'warning missing-runs-on 8:3',
      'error unknown-need 8:14',
    ]);
  });

  it('keeps its triggers although the rest cannot run, so that an event it does not wait for stays unanswered', () => {
    const { workflow, on } = readWorkflow(`on: pull_request\njobs: {a: {uses: ./.gitea/workflows/b.yml}}`, { path: PATH });

    expect(workflow).toBeUndefined();
    expect(on).toEqual({ push: null, others: ['pull_request'] });
  });

  it.each([
    ['', 'error yaml-syntax 1:1'],
    ['- a', 'error wrong-type 1:1'],
    ['on: push', 'error missing-key 1:1'],
    [`jobs: {a: ${PLAIN}}`, 'error missing-key 1:1'],
    ['on: push\njobs: {}', 'error missing-key 2:7'],
    ['on: push\njobs: []', 'error wrong-type 2:7'],
    ['on: push\njobs:\n  a:', 'error wrong-type 3:3'],
    [`on: push\njobs: {1a: ${PLAIN}}`, 'error invalid-job-id 2:8'],
    [`on: push\njobs: {"a b": ${PLAIN}}`, 'error invalid-job-id 2:8'],
    [`on: push\nname: [a]\njobs: {a: ${PLAIN}}`, 'error wrong-type 2:7'],
    [`on: push\nenv: {A: [b]}\njobs: {a: ${PLAIN}}`, 'error wrong-type 2:10'],
    [`on: push\nenv: x\njobs: {a: ${PLAIN}}`, 'error wrong-type 2:6'],
    [`on: push\nx-shared: 1\njobs: {a: ${PLAIN}}`, 'warning unknown-key 2:1'],
    [`on: push\nrun-name: by \${{ github.actor }}\njobs: {a: ${PLAIN}}`, 'warning not-honoured-yet 2:11'],
    [`on: push\ndefaults: {run: {shell: a, foo: b}}\njobs: {a: ${PLAIN}}`, 'warning unknown-key 2:28'],
    [`on: push\njobs: {a: ${PLAIN}, a: ${PLAIN}}`, 'error duplicate-key 2:44'],
  ])('%j is answered with %s', (text, diagnostic) => {
    expect(found(text)).toEqual([diagnostic]);
  });
});

describe('a job', () => {
  const inJob = (rest: string): string => `on: push\njobs:\n  j:\n    ${rest.replaceAll('\n', '\n    ')}`;

  it.each([
    ['concurrency: main', 'error not-supported-yet 6:5'],
    ['concurrency: g', 'error not-supported-yet 6:5'],
    ['environment: prod', 'error not-supported-yet 6:5'],
    ['unknown: 1', 'warning unknown-key 6:5'],
    ['needs: j', 'error needs-cycle 3:3'],
    ['needs: [k]', 'error unknown-need 6:13'],
    ['name: ${{ github.ref }}', 'error not-supported-yet 6:11'],
    ['name: ${{ matrix.os }}', 'error unknown-matrix-property 6:11'],
    ['name: a ${{ matrix.os', 'error invalid-expression 6:11'],
    ['timeout-minutes: 0', 'error wrong-value 6:22'],
    ['timeout-minutes: soon', 'error wrong-value 6:22'],
    ['timeout-minutes: ${{ vars.T }}', 'error not-supported-yet 6:22'],
    ['continue-on-error: yes', 'error wrong-value 6:24'],
    ['continue-on-error: ${{ matrix.x }}', 'error unknown-matrix-property 6:24'],
    ['continue-on-error: ${{ vars.x }}', 'error not-supported-yet 6:24'],
    ['outputs: {a: {b: c}}', 'error wrong-type 6:18'],
    ['container: {ports: [1]}', 'error missing-key 6:16'],
    ['container: {image: a, ports: [[1]]}', 'error wrong-type 6:35'],
    ['container: {image: a, cmd: [b]}', 'warning unknown-key 6:27'],
    ['services: {a: {env: {}}}', 'error missing-key 6:19'],
    ['services: {a: }', 'error missing-key 6:16'],
    ['services: [a]', 'error wrong-type 6:15'],
    ['strategy: ${{ fromJSON(x) }}', 'error not-supported-yet 6:15'],
    ['strategy: {matrix: "${{ fromJSON(x) }}"}', 'error not-supported-yet 6:24'],
    ['strategy: {matrix: {a: "${{ fromJSON(x) }}"}}', 'error not-supported-yet 6:28'],
    ['strategy: {matrix: {a: [1, "${{ x }}"]}}', 'error not-supported-yet 6:28'],
    ['strategy: {matrix: {a: [{b: ["${{ x }}"]}]}}', 'error not-supported-yet 6:28'],
    ['strategy: {matrix: {a: 1}}', 'error wrong-type 6:28'],
    ['strategy: {matrix: {a: []}}', 'error not-supported-yet 6:28'],
    ['strategy: {matrix: {"a b": [1]}}', 'error wrong-value 6:25'],
    ['strategy: {matrix: {include: {a: 1}}}', 'error wrong-type 6:34'],
    ['strategy: {matrix: {include: [a]}}', 'error wrong-type 6:35'],
    ['strategy: {matrix: {include: [{"a b": 1}]}}', 'error wrong-value 6:36'],
    ['strategy: {matrix: {include: ["${{ matrix.x }}"]}}', 'error not-supported-yet 6:34'],
    ['strategy: {matrix: {a: [1], exclude: [{b: 1}]}}', 'error unknown-matrix-property 6:44'],
    [`strategy: {matrix: {include: [${'{a: 1},'.repeat(257)}]}}`, 'error wrong-value 6:34'],
    ['strategy: {fail-fast: true}', 'warning not-honoured-yet 6:27'],
    ['strategy: {fail-fast: "${{ x }}"}', 'warning not-honoured-yet 6:27'],
    ['strategy: {fail-fast: 1}', 'error wrong-value 6:27'],
    ['strategy: {max-parallel: 2}', 'warning not-honoured-yet 6:30'],
    ['strategy: {max-parallel: 0}', 'error wrong-value 6:30'],
    ['strategy: {max: 2}', 'warning unknown-key 6:16'],
  ])('with %s is answered with %s', (line, diagnostic) => {
    expect(found(inJob(`runs-on: x\n${STEPS}\n${line}`))).toEqual([diagnostic]);
  });

  it.each([
    ['runs-on: []', 'error wrong-value 4:14'],
    ['runs-on: " "', 'error wrong-value 4:14'],
    ['runs-on: [a, ~]', 'error wrong-value 4:14'],
    ['runs-on: ${{ vars.R }}', 'error not-supported-yet 4:14'],
    ['runs-on: {group: g, labels: a}', 'error not-supported-yet 4:15'],
    ['runs-on: {x: 1}', 'warning unknown-key 4:15'],
  ])('that %s is answered with %s', (line, diagnostic) => {
    expect(found(inJob(`${line}\n${STEPS}`))).toContain(diagnostic);
  });

  it.each(['', '~'])('that runs on %j may go to any runner, with a warning', (label) => {
    const { workflow, diagnostics } = readWorkflow(inJob(`runs-on: ${label}\n${STEPS}`), { path: PATH });

    expect(workflow?.jobs[0]?.runsOn).toEqual([]);
    expect(diagnostics).toEqual([expect.objectContaining({ severity: 'warning', code: 'missing-runs-on', line: 3, column: 3 })]);
  });

  it.each([
    ['steps:', 'error missing-key 5:5'],
    ['steps: []', 'error missing-key 5:5'],
    ['steps: {run: a}', 'error wrong-type 5:12'],
    ['steps: [a]', 'error wrong-type 5:13'],
    ['steps: [{name: a}]', 'error invalid-step 5:13'],
    ['steps: [{run: }]', 'error invalid-step 5:13'],
    ['steps: [{run: a, uses: b}]', 'error invalid-step 5:13'],
    ['steps: [{run: a, id: 1x}]', 'error invalid-step 5:26'],
    ['steps: [{run: a, id: x}, {run: b, id: X}]', 'error invalid-step 5:43'],
    ['steps: [{run: a, with: {b: c}}]', 'warning unknown-key 5:22'],
    ['steps: [{uses: a, with: {b: [c]}}]', 'error wrong-type 5:33'],
    ['steps: [{run: [a]}]', 'error wrong-type 5:19'],
    ['steps: [{run: a, env: b}]', 'error wrong-type 5:27'],
  ])('with %s is answered with %s', (line, diagnostic) => {
    expect(found(inJob(`runs-on: x\n${line}`))).toEqual([diagnostic]);
  });

  it('that calls another workflow is refused by that alone', () => {
    expect(found('on: push\njobs: {a: {uses: ./b.yml}}')).toEqual(['error not-supported-yet 2:12']);
  });
});

describe('the needs of jobs', () => {
  it('may form any graph without a circle', () => {
    const text = `on: push\njobs:\n  d: {needs: [b, c], runs-on: x, ${STEPS}}\n  b: {needs: a, runs-on: x, ${STEPS}}\n  c: {needs: a, runs-on: x, ${STEPS}}\n  a: ${PLAIN}`;

    expect(found(text)).toEqual([]);
  });

  it('that form a circle are told with the way round', () => {
    const text = `on: push\njobs:\n  a: {needs: c, runs-on: x, ${STEPS}}\n  b: {needs: a, runs-on: x, ${STEPS}}\n  c: {needs: b, runs-on: x, ${STEPS}}\n  d: {needs: a, runs-on: x, ${STEPS}}`;

    expect(readWorkflow(text, { path: PATH }).diagnostics).toEqual([
      expect.objectContaining({ code: 'needs-cycle', line: 3, message: expect.stringContaining('a → c → b → a') }),
    ]);
  });

  it('are not looked at beyond 256 jobs', () => {
    const jobs = Array.from({ length: 257 }, (_, n) => `  j${n}: ${PLAIN}`).join('\n');

    expect(found(`on: push\njobs:\n${jobs}`)).toEqual(['error too-many-jobs 3:3']);
  });
});
