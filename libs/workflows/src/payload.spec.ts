import { describe, expect, it } from '@jest/globals';
import * as yaml from 'js-yaml';
import { renderPayload } from './payload';
import { planJobs } from './plan-jobs';
import { readWorkflow } from './read-workflow';

const FILE = `name: CI
run-name: nightly
on: {push: {branches: [main]}, pull_request: }
env: {A: 010, on: yes}
defaults: {run: {shell: bash}}
permissions: {contents: read}
x-ignored: 1
jobs:
  first: {runs-on: x, steps: [{run: a}]}
  build:
    needs: first
    runs-on: \${{ matrix.os }}
    strategy: {matrix: {os: [linux, mac], v: [1.5]}, fail-fast: false}
    timeout-minutes: 5
    continue-on-error: true
    permissions: read-all
    env: {X: '\${{ matrix.v }}'}
    outputs: {o: '\${{ steps.s.outputs.o }}'}
    defaults: {run: {working-directory: src}}
    container: node:20
    services: {pg: {image: postgres}}
    unknown: 1
    steps: [{id: s, run: 'echo "\${{ matrix.os }}"'}]
  any: {steps: [{run: a}]}
`;

function payloadOf(name: string): string {
  const { workflow } = readWorkflow(FILE, { path: 'ci.yml' });
  const planned = workflow && planJobs(workflow, { eventName: 'push' }).jobs.find((job) => job.name === name);
  if (!planned) throw new Error(`no job ${name}`);
  return planned.payload;
}

describe('the payload of a task', () => {
  it('is the workflow of one job in one combination, with known keys only', () => {
    expect(yaml.load(renderPayload(payloadOf('build (mac, 1.5)'), ['Mac']))).toEqual({
      name: 'CI',
      'run-name': 'nightly',
      on: 'push',
      env: { A: '010', on: 'yes' },
      defaults: { run: { shell: 'bash' } },
      permissions: { contents: 'read' },
      jobs: {
        build: {
          name: 'build (mac, 1.5)',
          needs: ['first'],
          if: 'always()',
          'runs-on': ['Mac'],
          strategy: { matrix: { os: ['mac'], v: [1.5] }, 'fail-fast': false },
          'timeout-minutes': 5,
          permissions: 'read-all',
          env: { X: '${{ matrix.v }}' },
          outputs: { o: '${{ steps.s.outputs.o }}' },
          defaults: { run: { 'working-directory': 'src' } },
          container: 'node:20',
          services: { pg: { image: 'postgres' } },
          steps: [{ id: 's', run: 'echo "${{ matrix.os }}"' }],
        },
      },
    });
  });

  it('gets the labels of the runner that claims it, also where the file names none', () => {
    expect(yaml.load(renderPayload(payloadOf('any'), ['Ubuntu']))).toMatchObject({ jobs: { any: { 'runs-on': ['Ubuntu'] } } });
  });

  it('is written for people too', () => {
    expect(renderPayload(payloadOf('first'), ['x'])).toContain("'on': push\nenv:\n  A: '010'\n  'on': 'yes'\n");
  });

  it('is never rendered without a label, which runners refuse', () => {
    expect(() => renderPayload(payloadOf('first'), [])).toThrow(/at least one label/);
  });
});

/** Seen to be read as something else, or not at all, by the Go parsers of the runners when it stands unquoted or in another style. */
const MUST_BE_QUOTED = [
  ...['on', 'off', 'yes', 'No', 'y', 'N', 'true', 'FALSE', '~', 'null', 'Null', ''],
  ...['010', '0o17', '0O7', '0x1F', '0b11', '1_000', '1__0e3', '-_1', '1e3', '1.', '.5', '+1', '-0', '.inf', '.NaN', '685_230.15e1', '0o71__0'],
  ...[
    '2020-01-01',
    '2020-01-01T00:00:00Z',
    '12:30:45',
    '=',
    '<<',
    '!',
    '&a',
    '*a',
    '@x',
    '`x',
    '%x',
    '|',
    '>',
    '-',
    '- a',
    '? a',
    ': a',
    'a: b',
    'a # c',
    '{',
    '[a]',
    ',',
  ],
  ...[' a', 'a ', '\ta', 'a\t', '\u0000', '\u001b[0m', '\u0085', 'a\u2028b', '\ufeff'],
];
const MAY_STAND_PLAIN = ['a', 'a b', 'a#b', 'é😀', 'x:y', 'v1.2', '${{ matrix.os }}', 'a\nb\n', '  a\nb', 'a\n\n', '\na', '\n', 'a\r\nb', '---', '...'];

describe('a text in a payload', () => {
  const rendered = (text: string): string => renderPayload(JSON.stringify({ env: { k: text, [text]: 1 }, jobs: { a: { 'runs-on': [] } } }), ['x']);

  it.each(MUST_BE_QUOTED)('%j is quoted, as a value and as a key', (text) => {
    const [, value, key] = /^env:\n {2}k: (.*)\n {2}(.*): 1\n/.exec(rendered(text)) ?? [];

    expect(value).toMatch(/^(["']).*\1$/);
    expect(key).toMatch(/^(["']).*\1$/);
  });

  it.each([...MUST_BE_QUOTED, ...MAY_STAND_PLAIN])('%j comes back as it went', (text) => {
    expect(yaml.load(rendered(text))).toMatchObject({ env: { k: text, [text]: 1 } });
    expect(yaml.load(rendered(text), { schema: yaml.YAML11_SCHEMA })).toMatchObject({ env: { k: text, [text]: 1 } });
  });
});
