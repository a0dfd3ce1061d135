import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as yaml from 'js-yaml';
import { matchPush } from './match-push';
import { renderPayload } from './payload';
import { planJobs } from './plan-jobs';
import { readWorkflow } from './read-workflow';

/** Takes a text all the way; the text may be refused at any point, but only with a diagnostic. */
function takeAllTheWay(text: string): number {
  const { workflow, on, diagnostics } = readWorkflow(text, { path: '.gitea/workflows/ci.yml' });
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
  const lines = text.split(/\r\n|\r|\n/).length;
  expect(errors.length === 0).toBe(workflow !== undefined);
  for (const { line, column, message } of diagnostics) {
    expect([line >= 1 && line <= lines, column >= 1, message !== '']).toEqual([true, true, true]);
  }
  if (on) matchPush(on, { ref: 'refs/heads/main', refType: 'branch', changedFiles: ['a/b.ts'] });
  if (!workflow) return 0;
  const plan = planJobs(workflow, { eventName: 'push' });
  expect(plan.jobs.length > 0).toBe(!plan.diagnostics.some((diagnostic) => diagnostic.severity === 'error'));
  for (const job of plan.jobs) {
    const document = yaml.load(renderPayload(job.payload, ['x'])) as { jobs: object };
    expect(Object.keys(document.jobs)).toEqual([job.jobId]);
  }
  return plan.jobs.length;
}

const words = fc.constantFrom('push', 'main', 'a', 'b', '${{ matrix.os }}', '${{', '!x', '**', '?', 'yes', '010', '', '<<', '__proto__', 'constructor', '😀');
const scalars = fc.oneof(words, fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.string());
const keys = fc.oneof(
  words,
  fc.constantFrom('os', 'include', 'image', 'env', 'ports', 'run', 'uses', 'id', 'with', 'labels', 'shell', 'matrix', 'fail-fast', 'max-parallel'),
);
const anything = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalars, fc.array(tie('value'), { maxLength: 3 }), fc.dictionary(keys, tie('value'), { maxKeys: 3 })),
})).value;
/** Mostly what belongs there, now and then anything at all. */
const mostly = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ arbitrary, weight: 60 }, { arbitrary: anything, weight: 1 });
const text = mostly(fc.constantFrom('a', 'node:20', '${{ secrets.X }}', 'yes', '1.10'));
const textMap = mostly(fc.dictionary(fc.constantFrom('A', 'B', 'on'), text, { maxKeys: 2 }));
const step = fc.record({ run: text, id: fc.constantFrom('s1', 's2'), env: textMap, name: text }, { requiredKeys: ['run'] });
const axis = fc.array(mostly(fc.oneof(fc.constantFrom('linux', '1.10', true, null), fc.integer())), { minLength: 1, maxLength: 3 });
const rule = fc.dictionary(fc.constantFrom('os', 'v', 'x'), mostly(fc.constantFrom('linux', 1, { a: 1 })), { maxKeys: 2 });
const rules = mostly(fc.array(rule, { maxLength: 2 }));
const job = fc.record(
  {
    'runs-on': mostly(fc.constantFrom('linux', ['a', 'b'], '${{ matrix.os }}')),
    strategy: fc.record(
      { matrix: fc.record({ os: axis, v: axis, include: rules, exclude: rules }, { requiredKeys: ['os'] }), 'fail-fast': fc.boolean() },
      { requiredKeys: ['matrix'] },
    ),
    steps: fc.array(step, { minLength: 1, maxLength: 1 }),
    name: mostly(fc.constantFrom('n', 'on ${{ matrix.os }}')),
    'timeout-minutes': mostly(fc.constantFrom(5, '${{ matrix.os == 1 && 4 || 5 }}', '${{ 4 }}')),
    'continue-on-error': mostly(fc.constantFrom(true, '${{ matrix.os == 1 }}')),
    if: mostly(fc.constantFrom('always()', "github.ref == 'x'", '${{ ((', 'false')),
    env: textMap,
    container: mostly(fc.constantFrom('node:20', { image: 'node:20', ports: [80] })),
  },
  { requiredKeys: ['steps', 'runs-on', 'strategy'] },
);
const filter = fc.dictionary(fc.constantFrom('branches', 'paths', 'tags-ignore', 'x'), mostly(fc.constantFrom('main', ['**', '!a'])), { maxKeys: 2 });
const workflows = fc.record({
  on: fc.oneof(fc.constant('push'), fc.record({ push: filter })),
  env: textMap,
  jobs: fc.dictionary(fc.constantFrom('a', 'b', 'c'), job, { minKeys: 1, maxKeys: 3 }),
});

describe('the reader and the planner', () => {
  it('answer any text with diagnostics', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (value) => void takeAllTheWay(value)),
      { numRuns: 300 },
    );
  });

  it('answer any document with diagnostics', () => {
    const document = fc.dictionary(fc.constantFrom('on', 'jobs', 'env', 'name', 'permissions', 'defaults', 'run-name'), anything);

    fc.assert(
      fc.property(document, (value) => void takeAllTheWay(yaml.dump(value))),
      { numRuns: 300 },
    );
  });

  it('plan whatever they accept, and accept enough of it to mean something', () => {
    let planned = 0;

    fc.assert(
      fc.property(workflows, (value) => {
        planned += takeAllTheWay(yaml.dump(value));
      }),
      { numRuns: 200 },
    );

    expect(planned).toBeGreaterThan(100);
  });

  it('answer a workflow that was cut or garbled in some place', () => {
    const garbled = fc.tuple(workflows, fc.nat(), fc.nat(20), fc.string({ maxLength: 3 })).map(([value, at, length, instead]) => {
      const written = yaml.dump(value);
      const start = at % written.length;
      return written.slice(0, start) + instead + written.slice(start + length);
    });

    fc.assert(
      fc.property(garbled, (value) => void takeAllTheWay(value)),
      { numRuns: 150 },
    );
  });
});
