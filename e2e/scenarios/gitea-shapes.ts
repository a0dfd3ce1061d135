import { expect, it } from '@jest/globals';
import { compareWithSwagger, sharedOperations } from '../../tools/api/compare-with-swagger';
import { ApiClient } from '../harness/api-client';
import type { GiteaForge } from '../harness/gitea-forge';
import type { Installation } from '../harness/installation';

/** Fewer would mean that paths are no longer found in one of the two documents. */
const LEAST_SHARED = 15;

/** What our API answers is what a client that was written for this Gitea's API can read. */
export function describeGiteaShapes(gitea: () => GiteaForge, installation: () => Installation): void {
  it('answers in the shapes that this Gitea publishes, wherever both have the operation', async () => {
    const ours = await new ApiClient(installation()).call<Record<string, unknown>>('GET', '/openapi.json');
    const theirs = await gitea().swagger();

    expect(sharedOperations(ours, theirs)).toBeGreaterThanOrEqual(LEAST_SHARED);
    expect(compareWithSwagger(ours, theirs)).toEqual([]);
  });
}
