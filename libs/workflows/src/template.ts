import { quote } from './diagnostic';
import { isJsonObject, type Json, type JsonObject } from './json';

/** A text with properties of the job's own matrix in it: literal parts and paths such as `['os', 'name']`. */
export type Template = readonly TemplatePart[];

export type TemplatePart = string | { readonly path: readonly string[] };

export type ParsedTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly code: 'invalid-expression' | 'not-supported-yet'; readonly problem: string };

const MATRIX_PROPERTY = /^matrix((?:\.[A-Za-z_][\w-]*)+)$/i;

export function hasExpression(text: string): boolean {
  return text.includes('${{');
}

/** Reads `linux-${{ matrix.arch }}`. Any expression that is not a plain property of the matrix is refused. */
export function parseTemplate(text: string): ParsedTemplate {
  const parts: TemplatePart[] = [];
  let at = 0;
  for (let open = text.indexOf('${{'); open !== -1; open = text.indexOf('${{', at)) {
    const close = text.indexOf('}}', open);
    if (close === -1) return { ok: false, code: 'invalid-expression', problem: `"\${{" is never closed in ${quote(text)}; write "}}" after the expression` };
    const expression = text.slice(open + 3, close).trim();
    const path = MATRIX_PROPERTY.exec(expression)?.[1]?.slice(1).split('.');
    if (!path) {
      return {
        ok: false,
        code: 'not-supported-yet',
        problem: `only matrix properties such as \${{ matrix.os }} can be used here yet, not ${quote(expression)}`,
      };
    }
    if (open > at) parts.push(text.slice(at, open));
    parts.push({ path });
    at = close + 2;
  }
  if (at < text.length) parts.push(text.slice(at));
  return { ok: true, template: parts };
}

/** First names of the paths that a template reads. */
export function axesOf(template: Template): readonly string[] {
  return template.flatMap((part) => (typeof part === 'string' ? [] : part.path.slice(0, 1)));
}

/** The value of a template that is one property and nothing else keeps its type; everything else is text. */
export function evaluate(template: Template, row: JsonObject): Json | undefined {
  const [only] = template;
  if (template.length === 1 && only !== undefined && typeof only !== 'string') return lookUp(only.path, row);
  return template.map((part) => (typeof part === 'string' ? part : displayText(lookUp(part.path, row)))).join('');
}

/** A scalar as text; nothing for null, lists and mappings. */
export function displayText(value: Json | undefined): string {
  return value === null || value === undefined || typeof value === 'object' ? '' : String(value);
}

function lookUp(path: readonly string[], row: JsonObject): Json | undefined {
  let value: Json | undefined = row;
  for (const name of path) value = isJsonObject(value) ? propertyOf(value, name) : undefined;
  return value;
}

/** Property names are case-insensitive, as everywhere in expressions. */
function propertyOf(value: JsonObject, name: string): Json | undefined {
  const key = Object.keys(value).find((candidate) => sameName(candidate, name));
  return key === undefined ? undefined : value[key];
}

export function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
