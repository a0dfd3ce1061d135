import { Failure } from './failure';

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;
const SIZE = /^(\d+(?:\.\d+)?) ?(B|KiB|MiB|GiB|TiB)$/;

/** Bytes of `512 KiB`, `32MiB`, `1.5GiB`. Units are binary and must be written: `64` and `64MB` are refused. */
export function parseByteSize(text: string): number {
  const match = SIZE.exec(text.trim());
  if (!match) {
    throw new Failure('invalid-input', `"${text}" is not a size; write for example 512 KiB, 32 MiB or 2 GiB`);
  }
  return Math.round(Number(match[1]) * 1024 ** UNITS.indexOf(match[2] as (typeof UNITS)[number]));
}

/** The largest unit that keeps the number at 1 or above, with at most one decimal: `1.5 MiB`. */
export function formatByteSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  return `${Math.round((bytes / 1024 ** power) * 10) / 10} ${UNITS[power]}`;
}
