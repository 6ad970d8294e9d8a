// Tests a journal whose files are removed or replaced while it is written: no later record counts as durable.

import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FileSystemDisk } from '../disk/fileSystemDisk.ts';
import { DiskError } from '../../ports/disk.ts';
import { JournalFile } from './file/journalFile.ts';

let folder: string;
let disk: FileSystemDisk;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isobar-identity-'));
  disk = new FileSystemDisk();
});
afterEach(() => {
  disk.close();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Opens a journal. `reported` has the number of its last durable record, and the reason once no further record becomes durable. `append`
 * adds a record, and resolves when the record is durable or the journal has failed. `prior`: the file that it continues.
 */
function openJournal(prior: string | null = null) {
  const reported: { durableSeq: number; failure: string | null } = { durableSeq: 0, failure: null };
  const waiting: (() => void)[] = [];
  const wake = (): void => waiting.splice(0).forEach((resume) => resume());
  const file = new JournalFile(
    disk,
    { folder, account: 'a', number: prior === null ? 1 : 2, ending: { seq: 0, bytes: 0, crc: '00000000' }, prior, segmentBytes: 400 },
    () => 1,
    {
      onDurable: (seq) => {
        reported.durableSeq = seq;
        wake();
      },
      onFailure: (reason) => {
        reported.failure = reason;
        wake();
      },
    },
  );
  const append = async (): Promise<void> => {
    const seq = file.append('CURSOR', { symbol: 'x', channel: 'y', value: 'z'.repeat(50) });
    while (reported.durableSeq < seq && reported.failure === null) await new Promise<void>((resolve) => void waiting.push(resolve));
  };
  return { reported, append };
}
function replaceByCopy(file: string): void {
  copyFileSync(file, `${file}.new`);
  renameSync(`${file}.new`, file);
}
const pathOf = (name: string): string => join(folder, name);
const namesInFolder = (): readonly string[] => readdirSync(folder).toSorted();

it.each([
  ['removed', (file: string) => rmSync(file)],
  ['renamed', (file: string) => renameSync(file, `${file}.old`)],
  ['replaced by a copy', replaceByCopy],
  ['emptied', (file: string) => truncateSync(file)],
  ['cut', (file: string) => truncateSync(file, 100)],
  ['added to', (file: string) => appendFileSync(file, '{}')],
])('the next record is not durable if the current journal file was %s', async (_, change) => {
  const { reported, append } = openJournal();
  await append();
  expect(reported).toEqual({ durableSeq: 2, failure: null });
  change(pathOf('journal-000001.jsonl'));
  await append();
  expect(reported.failure).toContain('journal-000001.jsonl: another process has removed, replaced or changed it');
  expect(reported.durableSeq).toBe(2);
});

it('the next record is not durable if the journal folder was moved away', async () => {
  const { reported, append } = openJournal();
  await append();
  renameSync(folder, `${folder}.old`);
  mkdirSync(folder);
  await append();
  expect(reported.failure).toContain('another process has removed');
  rmSync(`${folder}.old`, { recursive: true });
});

it('the record that begins the next journal file is not durable if the finished file was replaced before', async () => {
  const { reported, append } = openJournal();
  await append();
  // The next record finds this file full.
  while (statSync(pathOf('journal-000001.jsonl')).size < 400) await append();
  const { durableSeq } = reported;
  writeFileSync(pathOf('new'), '');
  renameSync(pathOf('new'), pathOf('journal-000001.jsonl'));
  await append();
  expect(reported).toMatchObject({ durableSeq, failure: expect.stringContaining('journal-000001.jsonl: another process has removed') });
});

it.each([
  ['removed', (file: string) => rmSync(file)],
  ['written to', (file: string) => writeFileSync(file, '{}')],
])('one of the next five records is not durable if a finished journal file was %s', async (_, change) => {
  const { reported, append } = openJournal();
  while (namesInFolder().length < 4) await append();
  change(pathOf('journal-000002.jsonl'));
  for (let recordIndex = 0; recordIndex < 5 && reported.failure === null; recordIndex++) await append();
  expect(reported.failure).toContain('journal-000002.jsonl: another process has removed, replaced or changed it');
});

it('a journal fails, and throws nothing, if the file that it continues has become read-only', async () => {
  writeFileSync(pathOf('journal-000001.jsonl'), '', { mode: 0o600 });
  disk.sync = (path) => {
    throw new DiskError('EROFS', path);
  };
  const { reported, append } = openJournal(pathOf('journal-000001.jsonl'));
  expect(reported.failure).toBeNull();
  await append();
  expect(reported).toEqual({ durableSeq: 0, failure: `${pathOf('journal-000001.jsonl')}: EROFS` });
});
