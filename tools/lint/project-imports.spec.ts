import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { RuleTester } from 'eslint';
import { parser } from 'typescript-eslint';
import { readProjects } from '../projects';
import { projectImports, SUBPATH_IMPORTERS } from './project-imports';

const ROOT = join(__dirname, '../..');
const at = (path: string) => join(ROOT, path);
const RUNS = at('libs/runs/src/claim-jobs.ts');
const FEATURE = at('libs/features/task-dispatcher/src/fetch-task.ts');

new RuleTester({ languageOptions: { parser } }).run('project-imports', projectImports(ROOT), {
  valid: [
    { name: 'a domain may name its own entities', filename: RUNS, code: "import { Job } from '@triphammer/models/runs';" },
    {
      name: 'the platform may name an adapter',
      filename: at('libs/platform/src/adapters.ts'),
      code: "import { S3BlobStore } from '@triphammer/blob-store/s3';",
    },
    { name: 'a domain may name the transaction type', filename: RUNS, code: "import type { Tx } from '@triphammer/models';" },
    { name: 'a feature may open a transaction', filename: FEATURE, code: "import { transaction } from '@triphammer/models';" },
    { name: 'a subpath of somebody else is no business of ours', filename: FEATURE, code: "import { x } from '@nestjs/common/internal';" },
  ],
  invalid: [
    invalid('a domain may not name the entities of another', RUNS, "import { Delivery } from '@triphammer/models/forges';", 'subpath'),
    invalid('a feature may not name entities', FEATURE, "import { Job } from '@triphammer/models/runs';", 'subpath'),
    invalid('a feature may not name an adapter', FEATURE, "import { DiskBlobStore } from '@triphammer/blob-store/disk';", 'subpath'),
    invalid('nor pass it on', FEATURE, "export { DiskBlobStore } from '@triphammer/blob-store/disk';", 'subpath'),
    invalid('nor load it later', FEATURE, "const later = () => import('@triphammer/blob-store/disk');", 'subpath'),
    invalid('nothing but tests may start the embedded server by itself', FEATURE, "import { x } from '@triphammer/platform/embedded-postgres';", 'subpath'),
    invalid('a subpath must stand in the table', FEATURE, "import { x } from '@triphammer/runs/claim-jobs';", 'unknown'),
    invalid('a domain may not open a transaction', RUNS, "import { transaction } from '@triphammer/models';", 'name'),
    invalid('a feature may not migrate', FEATURE, "import { migrate } from '@triphammer/models';", 'name'),
    invalid('a port other than events stores no rows', at('libs/blob-store/src/s3.ts'), "import type { Tx } from '@triphammer/models';", 'never'),
  ],
});

function invalid(name: string, filename: string, code: string, messageId: string): RuleTester.InvalidTestCase {
  return { name, filename, code, errors: [{ messageId }] };
}

describe('the table of subpaths', () => {
  it('has every subpath that a lib exports, and no other', () => {
    const exported = readProjects(ROOT).flatMap(({ name, subpaths }) => subpaths.map((path) => name + path.slice(1)));

    expect(Object.keys(SUBPATH_IMPORTERS).sort()).toEqual(exported.sort());
  });
});
