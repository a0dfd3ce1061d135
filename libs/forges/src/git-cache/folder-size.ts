import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of all files at any depth; what disappears while it is counted counts nothing. */
export async function folderSize(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return folderSize(path);
      return (await stat(path).catch(() => undefined))?.size ?? 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
