/** Names that tools and readers expect just so. */
const CUSTOMARY = new Set(['README.md', 'CONTRIBUTING.md', 'LICENSE', 'Dockerfile', 'Chart.yaml']);
/** Recorded or generated files keep the names that they came with. */
const FOREIGN = /(^|\/)(testdata|gen|fixtures)\//;
const KEBAB_CASE = /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
/** They say where a thing was put, not what it is. */
const EMPTY_NAMES = new Set(['common', 'types', 'interfaces', 'constants', 'shared', 'stuff', 'base', 'data', 'info']);
const EMPTY_WORDS = new Set(['util', 'utils', 'helper', 'helpers', 'misc', 'manager']);

/** What is wrong with the names of these paths (from the root), a line each. */
export function nameProblems(paths: readonly string[]): readonly string[] {
  return paths
    .filter((path) => !FOREIGN.test(path))
    .flatMap((path) =>
      path.split('/').flatMap((segment) => {
        if (CUSTOMARY.has(segment)) return [];
        if (!KEBAB_CASE.test(segment)) return [`${path}: "${segment}" is not in kebab-case`];
        const name = segment.replace(/^\./, '').split('.')[0] ?? '';
        const isEmpty = EMPTY_NAMES.has(name) || name.split('-').some((word) => EMPTY_WORDS.has(word));
        return isEmpty ? [`${path}: "${name}" says nothing; name it after what it holds`] : [];
      }),
    );
}
