import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readProjects } from '../projects';
import { FEATURE_APIS } from './feature-apis';

const ROOT = join(__dirname, '../..');

describe('the list of the parts of the API', () => {
  it('has the route table of every feature that exports one', async () => {
    const features = readProjects(ROOT).filter(({ tag }) => tag === 'type:feature');

    const tables = await Promise.all(
      features.map(async ({ name, folder }) => {
        const exported = Object.entries((await import(name)) as Record<string, unknown>);
        return exported
          .filter(([key]) => key.endsWith('_API'))
          .map(([, routes]) => ({ upstream: folder.replace('libs/features/', '').replaceAll('-', '_'), routes }));
      }),
    );

    expect([...FEATURE_APIS].sort(byUpstream)).toEqual(tables.flat().sort(byUpstream));
  });
});

function byUpstream(a: { upstream: string }, b: { upstream: string }): number {
  return a.upstream < b.upstream ? -1 : 1;
}
