import { describe, expect, it } from '@jest/globals';
import { stepName } from './step-queries';

describe('a step is called', () => {
  it.each([
    ['by its name', { name: ' Build ', run: 'make' }, 'Build'],
    ['by the action it uses', { uses: 'actions/checkout@v4' }, 'Run actions/checkout@v4'],
    ['by the first line of its script', { run: '\n  make all\nmake test' }, 'Run make all'],
    ['by its place when it says nothing', { name: '', run: '' }, 'Step 3'],
    ['by its place when what it says is no text', { name: 7, uses: null }, 'Step 3'],
  ])('%s', (_case, step, name) => {
    expect(stepName(step, 2)).toBe(name);
  });
});
