import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Project {
  /** From the root: `libs/runs`, `libs/features/console`. */
  readonly folder: string;
  readonly name: string;
  /** Its one `type:` tag. */
  readonly tag: string;
  readonly subpaths: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly nx: { readonly tags: readonly string[] };
}

/** The workspace's projects, as their `package.json` files describe them. */
export function readProjects(root: string): readonly Project[] {
  return ['apps', 'libs', 'libs/features'].flatMap((parent) =>
    readdirSync(join(root, parent))
      .map((name) => `${parent}/${name}`)
      .filter((folder) => existsSync(join(root, folder, 'package.json')))
      .map((folder) => describe(folder, JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest)),
  );
}

function describe(folder: string, manifest: Manifest): Project {
  const [tag, ...others] = manifest.nx.tags.filter((each) => each.startsWith('type:'));
  if (tag === undefined || others.length > 0) throw new Error(`${folder}/package.json must have exactly one tag that begins with "type:"`);
  return { folder, name: manifest.name, tag, subpaths: Object.keys(manifest.exports ?? {}).filter((path) => path !== '.') };
}
