// Loads two run folders for a comparison and writes its report.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { readInputFile } from '../../../adapters/disk/regularFile.ts';
import { writeError } from '../../../adapters/disk/fileError.ts';
import { nowMs } from '../../../adapters/clock/wallClock.ts';
import { ConfigError } from '../../../base/errors.ts';
import { compareRuns, type RunComparison } from '../../../report/compare/comparison.ts';
import type { ComparedInput, ComparedRun } from '../../../report/compare/input.ts';
import { writeCompareReport } from '../../../report/compare/report.ts';
import type { Manifest } from '../folder/writeRunFolder.ts';
import { displayPath } from '../../../definition/text/paths.ts';
import { openRun, readDefinitionKeys, readStoredEquity, readSummary } from '../folder/readRunFolder.ts';
import { packageVersion } from '../../../adapters/runtime/version.ts';
import { csvCells } from './storedTable.ts';

/** Compares two run folders. Throws ConfigError for a folder without a complete run. */
export function compareFolders(a: string, b: string): RunComparison {
  if (resolve(a) === resolve(b))
    throw new ConfigError(`${b}: expected another run than the first, got the same folder`, 'name two run folders');
  return compareRuns(comparedRun(a), comparedRun(b));
}

/** Reads a run folder for the comparison of two runs. */
function comparedRun(folder: string): ComparedRun {
  const run = openRun(folder);
  const { timeMs, equity } = readStoredEquity(folder);
  const fills = readInputFile(join(folder, 'fills.csv')).toString('utf8').trimEnd().split('\n').map(csvCells);
  return {
    name: run.name,
    path: displayPath(resolve(folder)),
    summary: readSummary(run),
    timeMs,
    equity,
    fills,
    definition: readDefinitionKeys(run),
    inputs: inputsOf(run.manifest),
  };
}

/** Returns the inputs of a run by name and hash. */
function inputsOf({ strategies, models, data, lockFile, versions }: Manifest): readonly ComparedInput[] {
  return [
    ...[...strategies, ...models].map(({ file, sha256 }) => ({ use: 'code', name: file, value: sha256 })),
    ...data.map(({ feed, instrument, interval, manifestSha256 }) => ({
      use: 'bars',
      name: `${feed}: ${instrument} ${interval}`,
      value: manifestSha256,
    })),
    ...(lockFile === null ? [] : [{ use: 'lock file', name: lockFile.file, value: lockFile.sha256 }]),
    ...Object.entries(versions).map(([name, value]) => ({ use: 'version', name, value })),
  ];
}

/**
 * Writes `compare-<a>-<b>.html` into `folder`, by default beside the first run, and returns its path. Throws ConfigError if it cannot be
 * written.
 */
export async function writeComparison(comparison: RunComparison, folder: string | null): Promise<string> {
  const { a, b } = comparison;
  const outFolder = folder ?? dirname(resolve(a.path));
  const path = join(outFolder, `compare-${a.name}-${b.name}.html`);
  try {
    if (!existsSync(outFolder)) mkdirSync(outFolder, { recursive: true });
    await writeCompareReport({ comparison, version: packageVersion(), writtenMs: nowMs() }, path);
    return path;
  } catch (error) {
    throw writeError(path, error);
  }
}
