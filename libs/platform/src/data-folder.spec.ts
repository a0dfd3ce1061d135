import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { keepSecret, lockDataFolder, prepareDataFolder, secretFile } from './data-folder';

const newFolder = () => mkdtempSync(join(tmpdir(), 'data-folder-'));

describe('a kept secret', () => {
  it('is made once, for its owner alone to read', () => {
    const folder = newFolder();

    const made = keepSecret(folder, 'ADMIN_TOKEN');

    expect(made).toMatch(/^[0-9a-f]{40}$/);
    expect(keepSecret(folder, 'ADMIN_TOKEN')).toBe(made);
    expect(statSync(secretFile(folder, 'ADMIN_TOKEN')).mode & 0o777).toBe(0o600);
  });
});

describe('the lock of a data folder', () => {
  it('keeps a second process out, with a text to act on, until it is given back', async () => {
    const folder = newFolder();
    const unlock = await lockDataFolder(folder);

    await expect(lockDataFolder(folder)).rejects.toThrow(new RegExp(`runs on ${folder} already, as process ${process.pid}`));
    await unlock();
    await expect(lockDataFolder(folder)).resolves.toBeDefined();
  });

  it('of a process that is gone is taken over', async () => {
    const folder = newFolder();
    const gone = spawn('true');
    await new Promise((resolve) => gone.once('exit', resolve));
    writeFileSync(join(folder, 'lock'), `${gone.pid} 12345\n`);

    await lockDataFolder(folder);

    expect(readFileSync(join(folder, 'lock'), 'utf8')).toContain(`${process.pid} `);
  });

  it('of a process whose number another one has by now is taken over', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'lock'), `${process.pid} 1\n`);

    await expect(lockDataFolder(folder)).resolves.toBeDefined();
  });
});

describe('a data folder', () => {
  it('that is a file is refused by name', async () => {
    const file = join(newFolder(), 'file');
    writeFileSync(file, '');

    await expect(prepareDataFolder(file)).rejects.toMatchObject({ code: 'precondition-failed', message: expect.stringContaining(file) });
  });
});
