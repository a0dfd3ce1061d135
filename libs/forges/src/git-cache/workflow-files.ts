import type { BareRepository } from './bare-repository';
import { fetchFailure } from './fetch-commits';

const MAX_FILES = 256;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_TOTAL_BYTES = 16 * 1024 * 1024;

interface WorkflowFile {
  /** Below the folder: `ci.yml`, `sub/release.yml`. */
  readonly path: string;
  readonly blobId: string;
  readonly text: string;
}

export interface WorkflowFolder {
  readonly folder: string;
  /** In the order of git's tree. */
  readonly files: readonly WorkflowFile[];
  /** Workflows beyond the limits. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

/** The workflows of a commit that is here: `*.yml` and `*.yaml` at any depth below the first of `folders` that exists; undefined when none does. */
export async function workflowFiles(repository: BareRepository, sha: string, folders: readonly string[]): Promise<WorkflowFolder | undefined> {
  const listed = await listFiles(repository, sha, folders);
  const folder = folders.find((candidate) => listed.some((entry) => entry.path.startsWith(`${candidate}/`)));
  if (folder === undefined) return undefined;
  const entries = listed
    .filter(({ path, isFile }) => isFile && path.startsWith(`${folder}/`) && /\.ya?ml$/.test(path))
    .map(({ path, blobId }) => ({ path: path.slice(folder.length + 1), blobId }));
  const { taken, skipped } = withinLimits(entries, await fetchSizes(repository, entries.slice(0, MAX_FILES)));
  return { folder, files: await readTexts(repository, taken), skipped };
}

interface Entry {
  readonly path: string;
  readonly blobId: string;
}

async function listFiles(repository: BareRepository, sha: string, folders: readonly string[]): Promise<readonly (Entry & { readonly isFile: boolean })[]> {
  const paths = folders.map((folder) => `${folder}/`);
  const output = await repository.expect(['--literal-pathspecs', 'ls-tree', '-r', '-z', '--full-tree', sha, '--', ...paths]);
  return output
    .toString('utf8')
    .split('\0')
    .flatMap((line) => {
      // "100644 blob <id>\t<path>"; links and submodules have other modes.
      const [, mode, blobId, path] = /^(\d+) \w+ ([0-9a-f]+)\t([^]+)$/.exec(line) ?? [];
      return mode && blobId && path ? [{ path, blobId, isFile: mode.startsWith('100') }] : [];
    });
}

/** Sizes by blob id, after fetching all contents that are missing in one go. */
async function fetchSizes(repository: BareRepository, entries: readonly Entry[]): Promise<ReadonlyMap<string, number>> {
  const ids = [...new Set(entries.map((entry) => entry.blobId))];
  const here = await readSizes(repository, ids);
  const missing = ids.filter((id) => !here.has(id));
  if (missing.length === 0) return here;
  const fetched = await repository.fetchBlobs(missing);
  if (fetched.code !== 0) throw fetchFailure(fetched);
  return readSizes(repository, ids);
}

async function readSizes(repository: BareRepository, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const output = await repository.expect(['cat-file', '--batch-check=%(objectname) %(objectsize)'], `${ids.join('\n')}\n`);
  return new Map([...output.toString().matchAll(/^([0-9a-f]+) (\d+)$/gm)].map(([, id, size]) => [id as string, Number(size)]));
}

function withinLimits(entries: readonly Entry[], sizes: ReadonlyMap<string, number>): { taken: readonly Entry[]; skipped: WorkflowFolder['skipped'] } {
  const taken: Entry[] = [];
  const skipped: { path: string; reason: string }[] = [];
  let total = 0;
  for (const [index, entry] of entries.entries()) {
    const size = sizes.get(entry.blobId) ?? 0;
    if (index >= MAX_FILES) skipped.push({ path: entry.path, reason: `Only the first ${MAX_FILES} workflow files of a folder are read.` });
    else if (size > MAX_FILE_BYTES) skipped.push({ path: entry.path, reason: 'A workflow file may have 1 MiB.' });
    else if (total + size > MAX_TOTAL_BYTES) skipped.push({ path: entry.path, reason: 'The workflow files of a folder may have 16 MiB together.' });
    else {
      total += size;
      taken.push(entry);
    }
  }
  return { taken, skipped };
}

async function readTexts(repository: BareRepository, entries: readonly Entry[]): Promise<readonly WorkflowFile[]> {
  if (entries.length === 0) return [];
  const output = await repository.expect(['cat-file', '--batch=%(objectsize)'], `${entries.map((entry) => entry.blobId).join('\n')}\n`);
  let at = 0;
  return entries.map((entry) => {
    // "<size>\n<contents>\n", in the order asked for.
    const endOfLine = output.indexOf(0x0a, at);
    const start = endOfLine + 1;
    const end = start + Number(output.toString('latin1', at, endOfLine));
    at = end + 1;
    return { ...entry, text: new TextDecoder().decode(output.subarray(start, end)) };
  });
}
