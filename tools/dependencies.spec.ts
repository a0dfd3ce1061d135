import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(__dirname, '..');

describe('docs/adr/dependencies.md', () => {
  it.each([
    ['dependencies', 'Run time'],
    ['devDependencies', 'Development'],
  ] as const)('has a reason for each of the %s, and no other', (field, heading) => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<typeof field, Record<string, string>>;
    const page = readFileSync(join(ROOT, 'docs/adr/dependencies.md'), 'utf8');

    const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
    const named = section.split('\n').flatMap((line) => [...(/^\| (`.*?) \|/.exec(line)?.[1] ?? '').matchAll(/`([^`]+)`/g)].map((match) => match[1]));

    expect(named.sort()).toEqual(Object.keys(manifest[field]).sort());
  });
});
