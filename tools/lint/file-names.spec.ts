import { describe, expect, it } from '@jest/globals';
import { nameProblems } from './file-names';

describe('the names of files', () => {
  it.each([
    'libs/runs/src/claim-jobs.pg.spec.ts',
    'libs/models/src/migrations/1796000200000-forges.ts',
    'apps/cli/README.md',
    '.ci/run',
    '.env.example',
    'docs/adr/0001-features-in-libs.md',
    'libs/shared-cache/src/shared-cache.ts',
    'libs/runner-rpc/src/gen/runner/v1/runner_pb.ts',
    'libs/glob/testdata/Filter_Patterns.TSV',
  ])('may be %s', (path) => {
    expect(nameProblems([path])).toEqual([]);
  });

  it.each([
    ['libs/runs/src/claimJobs.ts', '"claimJobs.ts" is not in kebab-case'],
    ['libs/runs/src/Claim.ts', '"Claim.ts" is not in kebab-case'],
    ['libs/runs/src/claim_jobs.ts', '"claim_jobs.ts" is not in kebab-case'],
    ['libs/runs/src/utils.ts', '"utils" says nothing; name it after what it holds'],
    ['libs/runs/src/string-helpers.spec.ts', '"string-helpers" says nothing; name it after what it holds'],
    ['libs/common/src/index.ts', '"common" says nothing; name it after what it holds'],
    ['libs/runs/src/types.ts', '"types" says nothing; name it after what it holds'],
  ])('may not be %s', (path, problem) => {
    expect(nameProblems([path])).toEqual([`${path}: ${problem}`]);
  });
});
