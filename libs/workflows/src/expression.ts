import type { Expr } from '@actions/expressions' with { 'resolution-mode': 'import' };
import { Evaluator, Lexer, Parser } from '../vendor/actions-expressions.cjs';
import { quote } from './diagnostic';
import { ObjectData, toJson } from './expression-data';
import { boundedFunctions, FUNCTION_NAMES } from './expression-functions';
import type { Json, JsonObject } from './json';

/** All contexts of the language, whether or not a place has them. */
const CONTEXTS = ['github', 'gitea', 'forgejo', 'env', 'vars', 'job', 'jobs', 'steps', 'runner', 'secrets', 'strategy', 'matrix', 'needs', 'inputs'] as const;
const NAME = /^[A-Za-z_][\w-]*$/;

/** The inside of a `${{ }}`, read once and evaluated many times. */
export interface Expression {
  readonly tree: Expr;
  /** The contexts that it reads, in lower case. */
  readonly contexts: ReadonlySet<string>;
  /** `['matrix', 'os']` for an expression that is a plain property of a context; otherwise undefined. */
  readonly property: readonly string[] | undefined;
}

export type ParsedExpression = { readonly ok: true; readonly expression: Expression } | { readonly ok: false; readonly problem: string };

export type Evaluated = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly problem: string };

/**
 * Reads an expression of GitHub's language: at most 21,000 characters and 50 levels. Functions that depend on the place
 * (`success()`, `hashFiles()`) are not known here.
 */
export function parseExpression(text: string): ParsedExpression {
  if (text.trim() === '') return { ok: false, problem: 'there is nothing between "${{" and "}}"' };
  try {
    const { tokens } = new Lexer(text).lex();
    const lexemes = tokens.map((token) => token.lexeme);
    // The library looks functions up in a plain object, where it also finds "constructor".
    const unknown = lexemes.find((name, index) => lexemes[index + 1] === '(' && NAME.test(name) && !FUNCTION_NAMES.has(name.toLowerCase()));
    if (unknown !== undefined) return { ok: false, problem: `there is no function ${quote(unknown)} here` };
    const tree = new Parser(tokens, [...CONTEXTS], []).parse();
    return { ok: true, expression: { tree, contexts: contextsIn(lexemes), property: propertyOf(text) } };
  } catch (error) {
    // Everything that lexer and parser throw is about the text.
    return { ok: false, problem: (error as Error).message };
  }
}

/** The value in these contexts; a name that they do not own is null. What cannot be computed (`fromJSON('{')`) is said in words. */
export function evaluateExpression({ tree }: Expression, contexts: JsonObject): Evaluated {
  const known = new ObjectData({ ...NO_CONTEXTS, ...contexts });
  try {
    const value = new Evaluator(tree, known, new Map(boundedFunctions())).evaluate();
    return { ok: true, value: toJson(value) };
  } catch (error) {
    // The library throws plain errors for what the author of the expression did.
    return { ok: false, problem: (error as Error).message };
  }
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
