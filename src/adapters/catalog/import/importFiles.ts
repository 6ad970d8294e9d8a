// Imports files of bars: checks them, merges them with the catalog, and stores them with instrument record and gap manifest.

import { typicalLengthMs } from '../../../model/interval.ts';
import type { BarKey } from '../files/paths.ts';
import { inspectFile } from '../readers/packedFile.ts';
import { keyOf, namedInterval } from './fileNames.ts';
import { detectInterval } from './detectInterval.ts';
import { importSet } from './importSet.ts';
import type { FileProgress } from './setFiles.ts';
import type { ImportOptions, ImportedSet } from './importResult.ts';

/**
 * Imports files of bars of any supported format. Files of one symbol and interval are merged in time order with each other and with the
 * catalog. Equal rows become one; different rows of one time are an error. Sets are stored one after the other, each completely or not at
 * all. A file whose content the catalog already has is not read again. Throws ConfigError with file, line, column and reason.
 */
export async function importFiles(files: readonly string[], options: ImportOptions): Promise<ImportedSet[]> {
  const sizes = files.map((file) => inspectFile(file).size);
  const sets = new Map<string, { key: BarKey; files: string[] }>();
  for (const file of files) {
    const interval = options.interval ?? namedInterval(file) ?? (await detectInterval(file, options));
    const key = keyOf(file, { ...options, interval });
    const setName = `${key.market} ${key.symbol} ${key.interval}`;
    const set = sets.get(setName) ?? { key, files: [] };
    sets.set(setName, set);
    set.files.push(file);
  }
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
  const sizeOf = (file: string): number => sizes[files.indexOf(file)]!;
  let bytesDone = 0;
  let rowsDone = 0;
  const imported = new Map<BarKey, ImportedSet>();
  // Shortest interval first: its prices have the most decimals, and the instrument record is proposed from the first set.
  const byLength = [...sets.values()].toSorted((a, b) => typicalLengthMs(a.key.interval) - typicalLengthMs(b.key.interval));
  for (const set of byLength) {
    const progress: FileProgress = {
      onProgress: (file, rows, share) => options.onProgress?.(file, rowsDone + rows, (bytesDone + share * sizeOf(file)) / totalBytes),
      onFileRead(file, rows) {
        bytesDone += sizeOf(file);
        rowsDone += rows;
      },
    };
    imported.set(set.key, await importSet(set.key, set.files, options, progress));
  }
  return [...sets.values()].map(({ key }) => imported.get(key)!);
}
