/** Text that is safe to stand in a page. */
export class Html {
  constructor(readonly text: string) {}
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A piece of a page: what is put in is escaped, unless it is such a piece itself; lists are put one after the other. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  return new Html(parts.map((part, index) => part + (index < values.length ? shown(values[index] ?? '') : '')).join(''));
}

function shown(value: string | Html | readonly Html[]): string {
  if (typeof value === 'string') return value.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
  return value instanceof Html ? value.text : value.map((piece) => piece.text).join('');
}
