// Reads the files of one set one after the other. Skips files whose content the catalog has, and stages the results.

import { closeOf, type Interval } from '../../../model/interval.ts';
import { contentHash } from '../readers/packedFile.ts';
import { readBarFile, type BarFile, type ReadRules } from '../readers/readBars.ts';
import type { ImportedFile } from '../bars/importRecord.ts';
import type { BarSet } from './joinSets.ts';
import { readStaged, stagedPath, writeStaged } from './stagedFiles.ts';

/** A file of a set and its content. */
export interface SetFile {
  readonly name: string;
  readonly sha256: string;
  /** Null if the catalog has the content, so that the file was not read. */
  readonly read: BarFile | null;
  /** True if it was read by an earlier, interrupted import. */
  readonly isResumed: boolean;
}

/** Callbacks for the progress of an import. `rows`: rows already read. */
export interface FileProgress {
  /** Called now and then while a file is read. `share`: part of the file that has been read, 0 to 1. */
  readonly onProgress: (file: string, rows: number, share: number) => void;
  /** Called once a file has been read to its end. */
  readonly onFileRead: (file: string, rows: number) => void;
}

/** How the files of an import are read. */
export interface FileReading {
  readonly rules: Omit<ReadRules, 'file'>;
  /** Files that were imported earlier. They are not read again. */
  readonly importedFiles: readonly ImportedFile[];
  /** Folder in which results are kept, so that an interrupted import need not read a file again. Null: they are not kept. */
  readonly staging: string | null;
  readonly progress: FileProgress;
}

/** Reads the files `names`. Throws ConfigError. */
export async function readFiles(names: readonly string[], reading: FileReading): Promise<readonly SetFile[]> {
  const { rules, importedFiles, progress } = reading;
  const files: SetFile[] = [];
  for (const name of names) {
    const sha256 = await contentHash(name);
    // Without --skip-bad, a file with rejected rows must be rejected again.
    const isImported = importedFiles.some((file) => file.sha256 === sha256 && (rules.skipBad || file.rejectedRows === 0));
    const file = isImported ? null : await readFile(name, sha256, reading);
    files.push(file ?? { name, sha256, read: null, isResumed: false });
    progress.onFileRead(name, file?.read?.columns.length ?? 0);
  }
  return files;
}

/** Returns the rows of a file, read by an interrupted import of the same content if possible. */
async function readFile(name: string, sha256: string, { rules: commonRules, staging, progress }: FileReading): Promise<SetFile> {
  const rules: ReadRules = { ...commonRules, file: name };
  const path = staging === null ? null : stagedPath(staging, sha256, rules);
  const staged = path === null ? null : readStaged(path);
  if (staged) return { name, sha256, read: staged, isResumed: true };
  const read = await readBarFile(name, rules, (rows, share) => progress.onProgress(name, rows, share));
  if (path !== null) writeStaged(path, read);
  return { name, sha256, read, isResumed: false };
}

/** Returns the bars of a file as a set to merge. `nowMs` decides whether its last bar is still open. */
export function barSetOf({ name }: SetFile, { columns, lines, format }: BarFile, interval: Interval, nowMs: number): BarSet {
  return {
    name,
    raw: columns,
    openLastBar: closeOf(interval, columns.openMs[columns.length - 1]!) > nowMs,
    isStored: false,
    placeOf: (row) => placeIn(name, format, lines[row]!),
  };
}

/** Returns the place of a row for messages; `line` counts from 1. */
function placeIn(name: string, format: BarFile['format'], line: number): string {
  if (format === 'json') return `${name}[${line - 1}]`;
  return format === 'feather' ? `${name} row ${line}` : `${name}:${line}`;
}
