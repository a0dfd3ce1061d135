import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { evaluateExpression, parseExpression } from './expression';
import type { Json, JsonObject } from './json';

interface Case {
  readonly expression: string;
  readonly contexts?: JsonObject;
  readonly value?: Json;
  /** At which step it is refused. */
  readonly error?: 'parse' | 'evaluate';
}

const CORPUS = JSON.parse(readFileSync(join(__dirname, '../testdata/expressions.json'), 'utf8')) as readonly { subject: string; cases: readonly Case[] }[];

/** Executed all the same: an expression that has come right must leave the list. */
const KNOWN_FAILING = new Set(readFileSync(join(__dirname, '../testdata/expressions.known-failing.txt'), 'utf8').trim().split('\n'));

describe.each(CORPUS)('expressions: $subject', ({ cases }) => {
  for (const { expression, contexts, value, error } of cases) {
    const run = KNOWN_FAILING.has(expression) ? it.failing : it;
    run(expression.slice(0, 80), () => {
      expect(outcomeOf(expression, contexts)).toEqual(error ? { refused: error, problem: expect.stringMatching(/./) } : { value });
    });
  }
});

it('the list of known failures names cases of the corpus alone', () => {
  const known = CORPUS.flatMap(({ cases }) => cases.map(({ expression }) => expression));

  expect([...KNOWN_FAILING].filter((expression) => !known.includes(expression))).toEqual([]);
});

describe('an expression', () => {
  it('keeps keys that look like a prototype, and reaches none', () => {
    const text = `fromJSON('{"__proto__": {"x": 1}, "a": 2}')`;

    expect(JSON.stringify(outcomeOf(text))).toBe('{"value":{"__proto__":{"x":1},"a":2}}');
    expect(outcomeOf(`${text}.__proto__.x`)).toEqual({ value: 1 });
    expect(outcomeOf(`${text}.hasOwnProperty`)).toEqual({ value: null });
    expect(outcomeOf(`toJSON(${text})`)).toEqual({ value: '{\n  "__proto__": {\n    "x": 1\n  },\n  "a": 2\n}' });
  });

  it('converts of a large context what it reads, and the rest never', () => {
    const event = Object.defineProperty({ a: { b: 1 } }, 'unread', {
      enumerable: true,
      get: () => {
        throw new Error('read');
      },
    });

    expect(outcomeOf('github.event.a.b', { github: { event } })).toEqual({ value: 1 });
  });

  it('is refused in words that fit on a page, however long what it was about', () => {
    const outcome = outcomeOf('format(github.event.text)', { github: { event: { text: '{'.repeat(100_001) } } });

    expect(outcome).toMatchObject({ refused: 'evaluate', problem: expect.stringMatching(/^.{50,301}$/) });
  });

  it('answers any text with a value or a reason', () => {
    const pieces = fc.constantFrom(
      ...["'", '(', ')', '[', ']', '.', '*', ',', '!', '==', '<', '&&', '||', 'matrix', 'a', 'format', 'fromJSON', 'toJSON', 'join', 'case'],
      ...["'{0}'", '1', '-', 'null', 'true', 'constructor', '__proto__', "'[1]'", ' '],
    );
    const texts = fc.oneof(
      fc.array(pieces, { maxLength: 20 }).map((all) => all.join('')),
      fc.string(),
      fc.string({ unit: 'binary' }),
    );
    const values = fc.jsonValue() as fc.Arbitrary<Json>;

    fc.assert(
      fc.property(texts, values, (text, value) => {
        const outcome = outcomeOf(text, { matrix: { a: value } });
        expect('value' in outcome ? outcome.value !== undefined : outcome.problem !== '').toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives a value back as it went in', () => {
    fc.assert(
      fc.property(fc.jsonValue() as fc.Arbitrary<Json>, (value) => {
        expect(outcomeOf('matrix.a', { matrix: { a: value } })).toEqual({ value });
      }),
      { numRuns: 300 },
    );
  });
});

function outcomeOf(text: string, contexts: JsonObject = {}): { value: Json } | { refused: 'parse' | 'evaluate'; problem: string } {
  const parsed = parseExpression(text, new Set());
  if (!parsed.ok) return { refused: 'parse', problem: parsed.problem };
  const evaluated = evaluateExpression(parsed.expression, contexts);
  return evaluated.ok ? { value: evaluated.value } : { refused: 'evaluate', problem: evaluated.problem };
}
