// Tests that the data folder of a bot is rejected if others can write to it or have put something into it.

import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOwnFile, replaceFile } from '../../../adapters/disk/ownFile.ts';
import { prepareDataFolder } from './ownFolder.ts';

let root: string;
let dataFolder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'isobar-data-'));
  dataFolder = join(root, 'bot');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the data folder', () => {
  it('the data folder is created for its user alone, and accepted with its files the next time', () => {
    prepareDataFolder(dataFolder);
    expect(lstatSync(dataFolder).mode & 0o777).toBe(0o700);
    writeFileSync(join(dataFolder, 'notes.txt'), 'mine');
    writeFileSync(join(dataFolder, 'KILL'), '');
    prepareDataFolder(dataFolder);
  });

  it('the data folder is rejected if its mode admits other users', () => {
    mkdirSync(dataFolder);
    chmodSync(dataFolder, 0o755);
    expect(() => prepareDataFolder(dataFolder)).toThrow(/bot: expected mode 0700 or tighter, got 0755/);
  });

  it('the data folder is rejected if it is a link', () => {
    mkdirSync(join(root, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(root, 'elsewhere'), dataFolder);
    expect(() => prepareDataFolder(dataFolder)).toThrow(/expected a folder, got a symbolic link/);
  });

  it.each(['journal', 'bot.json', 'account.confirmed', 'REARMED', 'dashboard.json', 'control.sock', 'KILLED'])(
    'the data folder is rejected if its %s is a link',
    (name) => {
      prepareDataFolder(dataFolder);
      symlinkSync('/dev/null', join(dataFolder, name));
      expect(() => prepareDataFolder(dataFolder)).toThrow(/got a symbolic link/);
    },
  );

  it('the data folder is rejected if others can write its journal or a file', () => {
    prepareDataFolder(dataFolder);
    mkdirSync(join(dataFolder, 'journal'));
    chmodSync(join(dataFolder, 'journal'), 0o770);
    expect(() => prepareDataFolder(dataFolder)).toThrow(/journal: expected mode 0700/);
    chmodSync(join(dataFolder, 'journal'), 0o700);
    writeFileSync(join(dataFolder, 'bot.json'), '{}');
    chmodSync(join(dataFolder, 'bot.json'), 0o666);
    expect(() => prepareDataFolder(dataFolder)).toThrow(/bot.json: expected mode 0600/);
  });
});

describe('a file that is replaced', () => {
  it('a file that is replaced belongs to its user alone, and a link in its place is not followed', () => {
    const target = join(root, 'target');
    const path = join(root, 'file');
    writeFileSync(target, 'untouched');
    symlinkSync(target, path);
    expect(() => readOwnFile(path)).toThrow(/symbolic link/);
    replaceFile(path, 'new');
    expect([readFileSync(target, 'utf8'), readOwnFile(path), lstatSync(path).isFile(), lstatSync(path).mode & 0o777]).toEqual([
      'untouched',
      'new',
      true,
      0o600,
    ]);
  });

  it('a file that is replaced is not written through a link with the name of its draft', () => {
    const target = join(root, 'target');
    const path = join(root, 'file');
    writeFileSync(target, 'untouched');
    symlinkSync(target, `${path}.${process.pid}.new`);
    replaceFile(path, 'new');
    expect([readFileSync(target, 'utf8'), readOwnFile(path)]).toEqual(['untouched', 'new']);
  });

  it('a file that others can write is not read', () => {
    const path = join(root, 'file');
    writeFileSync(path, 'x');
    chmodSync(path, 0o664);
    expect(() => readOwnFile(path)).toThrow(/expected mode 0600/);
    expect(readOwnFile(join(root, 'none'))).toBeNull();
  });
});
