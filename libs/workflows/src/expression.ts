import type { Expr } from '@actions/expressions' with { 'resolution-mode': 'import' };
import { data, Evaluator, Lexer, Parser } from '../vendor/actions-expressions.cjs';
import { quote } from './diagnostic';
import { ObjectData, toJson } from './expression-data';
import { boundedFunctions, FUNCTION_NAMES } from './expression-functions';
import type { Json, JsonObject } from './json';

/** All contexts of the language, whether or not a place has them. */
const CONTEXTS = ['github', 'gitea', 'forgejo', 'env', 'vars', 'job', 'jobs', 'steps', 'runner', 'secrets', 'strategy', 'matrix', 'needs', 'inputs'] as const;
/** Of the library's own words, which hold whole format strings. */
const MAX_PROBLEM = 300;
const NAME = /^[A-Za-z_][\w-]*$/;

/** The inside of a `${{ }}`, read once and evaluated many times. */
export interface Expression {
  readonly tree: Expr;
  /** The contexts that it reads, in lower case. */
  readonly contexts: ReadonlySet<string>;
  /** The functions of its place that it calls, in lower case. */
  readonly functions: ReadonlySet<string>;
  /** `['matrix', 'os']` for an expression that is a plain property of a context; otherwise undefined. */
  readonly property: readonly string[] | undefined;
}

export type ParsedExpression = { readonly ok: true; readonly expression: Expression } | { readonly ok: false; readonly problem: string };

/** By their names in lower case. */
export type PlaceFunctions = Readonly<Record<string, () => boolean>>;

export type Evaluated = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string };

/**
 * Reads an expression of GitHub's language: at most 21,000 characters and 50 levels. `ofPlace` names the functions, all of
 * them without arguments, that can be called besides those known everywhere: `success()` in the `if` of a job.
 */
export function parseExpression(text: string, ofPlace: ReadonlySet<string>): ParsedExpression {
  if (text.trim() === '') return { ok: false, problem: 'there is nothing between "${{" and "}}"' };
  try {
    const { tokens } = new Lexer(text).lex();
    const lexemes = tokens.map((token) => token.lexeme);
    // The library looks functions up in a plain object, where it also finds "constructor".
    const called = lexemes.filter((name, index) => lexemes[index + 1] === '(' && NAME.test(name));
    const unknown = called.find((name) => !FUNCTION_NAMES.has(name.toLowerCase()) && !ofPlace.has(name.toLowerCase()));
    if (unknown !== undefined) return { ok: false, problem: `there is no function ${quote(unknown)} here` };
    const tree = new Parser(tokens, [...CONTEXTS], [...ofPlace].map(withoutArguments)).parse();
    const functions = new Set(called.map((name) => name.toLowerCase()).filter((name) => ofPlace.has(name)));
    return { ok: true, expression: { tree, contexts: contextsIn(lexemes), functions, property: propertyOf(text) } };
  } catch (error) {
    // Everything that lexer and parser throw is about the text.
    return { ok: false, problem: problemOf(error) };
  }
}

/**
 * The value in these contexts, where a name that they do not own is null, with the functions of the place. What cannot be
 * computed (`fromJSON('{')`) is said in words.
 */
export function evaluateExpression({ tree }: Expression, contexts: JsonObject, ofPlace: PlaceFunctions = {}): Evaluated {
  const known = new ObjectData({ ...NO_CONTEXTS, ...contexts });
  const own = Object.entries(ofPlace).map(([name, call]) => [name, { ...withoutArguments(name), call: () => new data.BooleanData(call()) }] as const);
  try {
    const value = new Evaluator(tree, known, new Map([...boundedFunctions(), ...own])).evaluate();
    return { ok: true, value: toJson(value) };
  } catch (error) {
    // The library throws plain errors for what the author of the expression did.
    return { ok: false, problem: problemOf(error) };
  }
}

function problemOf(error: unknown): string {
  const { message } = error as Error;
  return message.length > MAX_PROBLEM ? `${message.slice(0, MAX_PROBLEM)}…` : message;
}

function withoutArguments(name: string) {
  return { name, minArgs: 0, maxArgs: 0 };
}

/** The library crashes on a context that is declared and not given. */
const NO_CONTEXTS: JsonObject = Object.fromEntries(CONTEXTS.map((name) => [name, null]));

function contextsIn(lexemes: readonly string[]): ReadonlySet<string> {
  const names = lexemes.filter((name, index) => NAME.test(name) && lexemes[index - 1] !== '.' && lexemes[index + 1] !== '(');
  return new Set(names.map((name) => name.toLowerCase()).filter((name) => (CONTEXTS as readonly string[]).includes(name)));
}

function propertyOf(text: string): readonly string[] | undefined {
  const names = text.split('.').map((name) => name.trim());
  return names.length > 1 && names.every((name) => NAME.test(name)) ? names : undefined;
}
