// Tests the promises of the Disk port on the file system and on the simulated disk, and what only the file system rejects.

import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { FileSystemDisk } from '../../src/adapters/disk/fileSystemDisk.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { DiskError, type Disk } from '../../src/ports/disk.ts';
import { SimulatedDisk } from '../fixtures/simulatedDisk.ts';

const root = mkdtempSync(join(tmpdir(), 'isobar-disk-'));
afterAll(() => rmSync(root, { recursive: true }));
let folderCount = 0;

/** A disk under test. */
interface TestedDisk {
  readonly disk: Disk;
  readonly folder: string;
  /** Waits until all operations in progress have ended. */
  readonly settle: () => void;
}

/** Returns the file system of this computer. */
function onFileSystem(): TestedDisk & { readonly disk: FileSystemDisk } {
  const folder = join(root, `run${folderCount++}`);
  const disk = new FileSystemDisk();
  disk.prepare(folder);
  return { disk, folder, settle: () => {} };
}

const DISKS: Readonly<Record<string, () => TestedDisk>> = {
  FileSystemDisk: onFileSystem,
  SimulatedDisk: () => {
    const disk = new SimulatedDisk();
    return { disk, folder: 'journal', settle: () => void disk.run() };
  },
};

/** Returns the code of the DiskError of an act, or `done`. */
const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof DiskError) return error.code;
    throw error;
  }
  return 'done';
};
const textOf = (disk: Disk, path: string): string => Buffer.from(disk.read(path)).toString();

describe.each(Object.entries(DISKS))('%s', (_name, open) => {
  let disk: Disk;
  let folder: string;
  let settle: () => void;
  beforeEach(() => {
    ({ disk, folder, settle } = open());
  });
  /** Syncs a path, and returns the failure or null. Expects that the result comes after the call has returned. */
  const syncAndWait = async (path: string): Promise<string | null> =>
    new Promise((resolve) => {
      let isWithinCall = true;
      disk.sync(path, (failure) => {
        expect(isWithinCall).toBe(false);
        resolve(failure);
      });
      isWithinCall = false;
      settle();
    });

  it('a disk creates a file once, appends to it, and reports its size and bytes', () => {
    const path = `${folder}/a`;
    expect(disk.list(folder)).toEqual([]);
    disk.create(path);
    expect(codeOf(() => disk.create(path))).toBe('EEXIST');
    expect([disk.size(path), textOf(disk, path)]).toEqual([0, '']);
    disk.append(path, Buffer.from('one'));
    disk.append(path, Buffer.from(' two'));
    expect([disk.size(path), textOf(disk, path)]).toEqual([7, 'one two']);
  });

  it('a disk lists only the names of the folder, in order', () => {
    for (const name of ['b', 'a10', 'a9', 'c.jsonl']) disk.create(`${folder}/${name}`);
    expect(disk.list(folder)).toEqual(['a10', 'a9', 'b', 'c.jsonl']);
  });

  it('a disk reports a missing file or folder', () => {
    const path = `${folder}/none`;
    const acts = [() => disk.read(path), () => disk.size(path), () => disk.append(path, Buffer.from('x')), () => disk.remove(path)];
    expect(acts.map(codeOf)).toEqual(['ENOENT', 'ENOENT', 'ENOENT', 'ENOENT']);
    expect(codeOf(() => disk.rename(path, `${folder}/x`))).toBe('ENOENT');
  });

  it('a disk syncs files and folders after the call, as often as requested', async () => {
    const paths = Array.from({ length: 12 }, (_, index) => `${folder}/f${index}`);
    for (const path of paths) disk.create(path);
    for (const path of [...paths, ...paths]) disk.append(path, Buffer.from('x'));
    expect(await Promise.all([...paths, folder, ...paths].map(syncAndWait))).toEqual(Array.from({ length: 25 }, () => null));
    for (const path of paths) expect(textOf(disk, path)).toBe('xx');
  });

  it('a disk renames over an existing file, and removes files', () => {
    const oldPath = `${folder}/a`;
    const newPath = `${folder}/b`;
    for (const path of [oldPath, newPath]) {
      disk.create(path);
      disk.append(path, Buffer.from(path.slice(-1)));
    }
    disk.rename(oldPath, newPath);
    disk.append(newPath, Buffer.from('+'));
    expect([disk.list(folder), textOf(disk, newPath)]).toEqual([['b'], 'a+']);
    disk.remove(newPath);
    disk.create(newPath);
    expect([disk.list(folder), textOf(disk, newPath)]).toEqual([['b'], '']);
  });

  it('a file may be removed while a disk syncs it', async () => {
    const path = `${folder}/a`;
    disk.create(path);
    disk.append(path, Buffer.alloc(100_000));
    const syncing = syncAndWait(path);
    disk.remove(path);
    expect(await syncing).toBeNull();
    expect(disk.list(folder)).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('files of others', () => {
  let disk: FileSystemDisk;
  let folder: string;
  beforeEach(() => {
    ({ disk, folder } = onFileSystem());
  });
  /** Returns the message and the remedy of the ConfigError of an act. */
  const rejectionOf = (act: () => unknown): string => {
    try {
      act();
    } catch (error) {
      if (error instanceof ConfigError) return `${error.message} | ${error.remedy}`;
      throw error;
    }
    return 'accepted';
  };
  /** Returns the errors of every act on an existing file. */
  const rejectionsOf = (path: string): readonly string[] => [
    rejectionOf(() => disk.read(path)),
    rejectionOf(() => disk.size(path)),
    rejectionOf(() => disk.append(path, Buffer.from('x'))),
  ];

  it('new files are readable only by their owner, whatever the umask', () => {
    const before = process.umask(0);
    try {
      disk.prepare(`${folder}/deep/er`);
      disk.create(`${folder}/a`);
    } finally {
      process.umask(before);
    }
    expect([`${folder}/deep`, `${folder}/deep/er`, `${folder}/a`].map((path) => lstatSync(path).mode & 0o777)).toEqual([
      0o700, 0o700, 0o600,
    ]);
  });

  it.each([0o640, 0o604, 0o660, 0o602, 0o610, 0o777])('a file of mode %o is rejected', (mode) => {
    const path = `${folder}/a`;
    writeFileSync(path, 'text');
    chmodSync(path, mode);
    for (const text of rejectionsOf(path))
      expect(text).toMatch(/expected mode 0600 or tighter, got \d{4}: others can reach it .*chmod 0600/);
    expect(readFileSync(path, 'utf8')).toBe('text');
    chmodSync(folder, mode | 0o700);
    expect(rejectionOf(() => disk.prepare(folder))).toMatch(/expected mode 0700 or tighter/);
  });

  it('a file behind a symbolic link is rejected, also if the link leads nowhere', () => {
    const target = `${folder}/target`;
    disk.create(target);
    symlinkSync(target, `${folder}/link`);
    for (const reply of rejectionsOf(`${folder}/link`)) expect(reply).toMatch(/link: expected a file, got a symbolic link/);
    symlinkSync(`${folder}/nothing`, `${folder}/brokenLink`);
    expect(codeOf(() => disk.create(`${folder}/brokenLink`))).toBe('EEXIST');
    expect(disk.list(folder)).toEqual(['brokenLink', 'link', 'target']);
    mkdirSync(`${folder}/real`, { mode: 0o700 });
    symlinkSync(`${folder}/real`, `${folder}/linked`);
    for (const name of ['linked', 'linked/'])
      expect(rejectionOf(() => disk.prepare(`${folder}/${name}`))).toMatch(/expected a folder, got a symbolic link/);
  });

  it('a file that is not a regular file is rejected, without waiting for the other end of a pipe', () => {
    execFileSync('sh', ['-c', 'mkfifo -m 600 "$0"', `${folder}/pipe`]);
    mkdirSync(`${folder}/folder`, { mode: 0o700 });
    expect(rejectionOf(() => disk.read(`${folder}/pipe`))).toMatch(/expected a file, got something else/);
    expect(codeOf(() => disk.append(`${folder}/pipe`, Buffer.from('x')))).toBe('ENXIO');
    expect(codeOf(() => disk.append(`${folder}/folder`, Buffer.from('x')))).toBe('EISDIR');
    disk.create(`${folder}/file`);
    expect(codeOf(() => disk.prepare(`${folder}/file`))).toBe('EEXIST');
  });

  it.skipIf(process.getuid?.() !== 0)('a file of another owner is rejected', () => {
    disk.create(`${folder}/a`);
    disk.close();
    chownSync(`${folder}/a`, 65_534, 65_534);
    for (const words of rejectionsOf(`${folder}/a`))
      expect(words).toMatch(/expected one of the user who runs isobar \(0\), got one of user 65534/);
    chownSync(folder, 65_534, 65_534);
    expect(rejectionOf(() => disk.prepare(folder))).toMatch(/got one of user 65534/);
  });

  it.skipIf(process.getuid?.() === 0)('a file of root is rejected for another user', () => {
    expect(rejectionOf(() => disk.read('/etc/hostname'))).toMatch(/got one of user 0/);
    expect(rejectionOf(() => disk.prepare('/usr'))).toMatch(/got one of user 0/);
  });
});
