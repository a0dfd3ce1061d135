import { relative, sep } from 'node:path';
import type { Rule } from 'eslint';

/** Folders of projects; `libs/features/*` stands for each feature. */
type Importers = readonly string[];

const PLATFORM: Importers = ['libs/platform'];
const TRANSACTION_OWNERS: Importers = ['libs/features/*', 'libs/platform', 'libs/events'];

/** Every subpath of a lib, and the projects that may name it. What tests and harnesses import is theirs to choose. */
export const SUBPATH_IMPORTERS: Readonly<Record<string, Importers>> = {
  '@triphammer/models/identity': ['libs/identity'],
  '@triphammer/models/forges': ['libs/forges'],
  '@triphammer/models/runs': ['libs/runs'],
  '@triphammer/models/logs': ['libs/logs'],
  '@triphammer/models/events': ['libs/events'],
  '@triphammer/blob-store/disk': PLATFORM,
  '@triphammer/blob-store/s3': PLATFORM,
  '@triphammer/events/local': PLATFORM,
  '@triphammer/events/jetstream': PLATFORM,
  '@triphammer/shared-cache/memory': PLATFORM,
  '@triphammer/shared-cache/redis': PLATFORM,
  '@triphammer/platform/embedded-postgres': [],
};

/** Names of a lib's main entry that are not for every project that may import the lib. */
const NAME_IMPORTERS: Readonly<Record<string, Readonly<Record<string, Importers>>>> = {
  '@triphammer/models': {
    createDataSource: PLATFORM,
    migrate: PLATFORM,
    assertMigrated: PLATFORM,
    // A domain function takes the transaction that its caller opened.
    transaction: TRANSACTION_OWNERS,
    read: TRANSACTION_OWNERS,
  },
};

/** What a tag allows but the house does not: of all ports, only events stores rows. */
const NEVER: Readonly<Record<string, Importers>> = {
  '@triphammer/models': ['libs/blob-store', 'libs/shared-cache'],
};

/** `@nx/enforce-module-boundaries` knows projects by their tags; this rule knows the rest of "who may import whom". */
export function projectImports(root: string): Rule.RuleModule {
  return {
    meta: {
      type: 'problem',
      schema: [],
      messages: {
        subpath: '{{source}} is for {{importers}} alone. Import what the lib itself offers.',
        unknown: '{{source}} is not in the table of subpaths (tools/lint/project-imports.ts): say there who may import it.',
        name: '{{name}} of {{source}} is for {{importers}} alone.',
        never: '{{source}} is not for {{project}}.',
      },
    },
    create(context) {
      const project = projectOf(relative(root, context.filename).split(sep).join('/'));
      const report = (node: Rule.Node, messageId: string, data: Record<string, string>) => context.report({ node, messageId, data });
      const check = (node: Rule.Node, source: string, names: readonly string[]) => {
        if (NEVER[source]?.includes(project)) report(node, 'never', { source, project });
        if (/^@triphammer\/[^/]+\/./.test(source)) {
          const importers = SUBPATH_IMPORTERS[source];
          if (!importers) report(node, 'unknown', { source });
          else if (!includes(importers, project)) report(node, 'subpath', { source, importers: list(importers) });
        }
        for (const name of names) {
          const importers = NAME_IMPORTERS[source]?.[name];
          if (importers && !includes(importers, project)) report(node, 'name', { name, source, importers: list(importers) });
        }
      };
      return {
        ImportDeclaration(node) {
          check(
            node,
            String(node.source.value),
            node.specifiers.flatMap((specifier) => (specifier.type === 'ImportSpecifier' ? [nameOf(specifier.imported)] : [])),
          );
        },
        ExportNamedDeclaration(node) {
          if (node.source)
            check(
              node,
              String(node.source.value),
              node.specifiers.map((specifier) => nameOf(specifier.local)),
            );
        },
        ImportExpression(node) {
          if (node.source.type === 'Literal') check(node, String(node.source.value), []);
        },
      };
    },
  };
}

/** The project that a path from the root belongs to: `libs/runs`, `libs/features/console`, `apps/cli`. */
function projectOf(path: string): string {
  return path
    .split('/')
    .slice(0, path.startsWith('libs/features/') ? 3 : 2)
    .join('/');
}

function includes(importers: Importers, project: string): boolean {
  return importers.some((importer) => importer === project || (importer.endsWith('/*') && project.startsWith(importer.slice(0, -1))));
}

function list(importers: Importers): string {
  return importers.length === 0 ? 'tests' : importers.join(', ');
}

function nameOf(node: { type: string; name?: string; value?: unknown }): string {
  return node.type === 'Identifier' ? String(node.name) : String(node.value);
}
