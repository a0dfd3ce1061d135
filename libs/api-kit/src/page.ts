import { z } from 'zod';

const MAX_LIMIT = 50;
const DEFAULT_LIMIT = 30;

/** Gitea's paging: `page` counts from 1, `limit` is at most 50. */
export const PAGE_QUERY = z.object({
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT),
});

/** One page of a list. The total and the neighbouring pages go into headers, as Gitea does (`X-Total-Count`, `Link`). */
export class Page<Body> {
  constructor(
    readonly body: Body,
    readonly total: number,
    readonly window: { readonly page: number; readonly limit: number },
  ) {}
}

export function page<Body>(body: Body, total: number, window: { readonly page: number; readonly limit: number }): Page<Body> {
  return new Page(body, total, window);
}

/** RFC 8288 links to the first, previous, next and last page of the list at `url`. */
export function linkHeader(url: URL, { total, window }: Page<unknown>): string {
  const last = Math.max(1, Math.ceil(total / window.limit));
  const to = (relation: string, number: number) => {
    const target = new URL(url);
    target.searchParams.set('page', String(number));
    target.searchParams.set('limit', String(window.limit));
    return `<${target.toString()}>; rel="${relation}"`;
  };
  const links = [];
  if (window.page < last) links.push(to('next', window.page + 1), to('last', last));
  if (window.page > 1) links.push(to('first', 1), to('prev', window.page - 1));
  return links.join(', ');
}
