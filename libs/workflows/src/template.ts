import { quote } from './diagnostic';
import { type Evaluated, evaluateExpression, type Expression, parseExpression, type PlaceFunctions } from './expression';
import type { Json, JsonObject } from './json';

/** A text with expressions in it, in its order. */
export type Template = readonly TemplatePart[];

export type TemplatePart = string | Expression;

export type ParsedTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly code: 'invalid-expression' | 'not-supported-yet'; readonly problem: string };

/** Of the text that a template makes. */
const MAX_LENGTH = 1024 * 1024;

export function hasExpression(text: string): boolean {
  return text.includes('${{');
}

/** What expressions at some place of a workflow can name yet, all in lower case. */
export interface Place {
  readonly contexts: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
}

/** Reads `linux-${{ matrix.arch }}`. */
export function parseTemplate(text: string, place: Place): ParsedTemplate {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (let open = text.indexOf('${{'); open !== -1; open = text.indexOf('${{', at)) {
    const close = endOfExpression(text, open + 3);
    if (close === -1) return { ok: false, code: 'invalid-expression', problem: `"\${{" is never closed in ${quote(text)}; write "}}" after the expression` };
    const written = text.slice(open + 3, close).trim();
    const parsed = parseExpression(written, place.functions);
    if (!parsed.ok) return { ok: false, code: 'invalid-expression', problem: `${quote(text)} cannot be read: ${parsed.problem}` };
    const missing = [...parsed.expression.contexts].find((name) => !place.contexts.has(name));
    if (missing !== undefined) {
      return { ok: false, code: 'not-supported-yet', problem: `${quote(written)} reads the context ${quote(missing)}, which is not supported here yet` };
    }
    if (open > at) parts.push(text.slice(at, open));
    parts.push(parsed.expression);
    at = close + 2;
  }
  if (at < text.length) parts.push(text.slice(at));
  return { ok: true, template: parts };
}

/** The value of a template that is one expression and nothing else keeps its type; everything else is text. */
export function evaluateTemplate(template: Template, contexts: JsonObject, functions: PlaceFunctions = {}): Evaluated {
  const [only] = template;
  if (template.length === 1 && only !== undefined && typeof only !== 'string') return evaluateExpression(only, contexts, functions);
  let text = '';
  for (const part of template) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    const evaluated = evaluateExpression(part, contexts, functions);
    if (!evaluated.ok) return evaluated;
    text += textOf(evaluated.value);
    if (text.length > MAX_LENGTH) return { ok: false, problem: `it makes more than ${MAX_LENGTH / 1024 / 1024} MiB of text` };
  }
  return { ok: true, value: text };
}

/** A scalar as text; nothing for null, lists and mappings. */
export function displayText(value: Json | undefined): string {
  return typeof value === 'object' ? '' : textOf(value ?? null);
}

/** As GitHub writes a value into a text: lists and mappings by their kind. */
function textOf(value: Json): string {
  if (value === null) return '';
  if (typeof value === 'object') return Array.isArray(value) ? 'Array' : 'Object';
  return Object.is(value, -0) ? '0' : String(value);
}

/** Where the `}}` is that closes; one inside a text in quotes does not. -1: nowhere. */
function endOfExpression(text: string, from: number): number {
  let isQuoted = false;
  for (let index = from; index < text.length; index += 1) {
    if (text[index] === "'") isQuoted = !isQuoted;
    else if (!isQuoted && text.startsWith('}}', index)) return index;
  }
  return -1;
}
