import { Failure } from '@triphammer/foundation';

/** As in an HTTP Range: bytes `start` to `end`, both included, or to the blob's end; or the last so many bytes. */
export type ByteRange = { readonly start: number; readonly end?: number | undefined } | { readonly last: number };

/** No byte of the blob lies in the range. HTTP answers 416 with `Content-Range: bytes *` + `/size`. */
export class UnsatisfiableRange extends Failure {
  constructor(readonly size: number) {
    super('invalid-input', `the range lies outside of the ${size} bytes`);
  }
}

/** Where a range begins in so many bytes and how long it is; an end beyond the last byte is clamped (RFC 9110, 14.1.2). */
export function locate(range: ByteRange | undefined, size: number): { readonly start: number; readonly length: number } {
  if (range === undefined) return { start: 0, length: size };
  const start = 'last' in range ? Math.max(0, size - range.last) : range.start;
  const end = 'last' in range ? size - 1 : Math.min(range.end ?? size - 1, size - 1);
  if (start < 0 || start > end) throw new UnsatisfiableRange(size);
  return { start, length: end - start + 1 };
}
