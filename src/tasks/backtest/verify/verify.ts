// Repeats a finished run from its folder and compares: identical, or which results and inputs differ.

import { rmSync } from 'node:fs';
import { ConfigError, StrategyError } from '../../../base/errors.ts';
import { join } from 'node:path';
import type { RunRequest } from '../../../definition/request.ts';
import type { FinishedRun } from '../run/executeDefinition.ts';
import { openRun, readRunFile, startFolderOf, type StoredRun } from '../folder/readRunFolder.ts';
import { checkInputs, type ChangedInput } from './checkInputs.ts';
import { checkResult } from './checkResult.ts';
import type { TableDifference } from './tableDifference.ts';

/** The run folder to verify. */
export interface VerifyTask {
  readonly folder: string;
  /** Replaces the folder to which the paths of the run are relative. */
  readonly startedIn: string | null;
}

/** The result of a verification. */
export interface VerifyVerdict {
  readonly folder: string;
  /** `notRun`: it could not be repeated, and `failure` says why. */
  readonly outcome: 'identical' | 'different' | 'notRun';
  readonly resultHash: { readonly recorded: string; readonly now: string | null };
  /** Number of compared rows. */
  readonly rows: { readonly orders: number; readonly fills: number; readonly instants: number };
  readonly differences: readonly TableDifference[];
  /** Orders, fills and equity in the folder do not match the recorded hash: they or the hash were changed after the run. */
  readonly isFolderAltered: boolean;
  /** Inputs that have changed since the run, and the number of all compared inputs. */
  readonly changed: readonly ChangedInput[];
  readonly inputs: number;
  /** Versions that differ. */
  readonly notes: readonly string[];
  readonly failure: { readonly message: string; readonly remedy: string } | null;
}

/**
 * Repeats the run of a folder and compares. `perform` runs a request. `temporaryFolder` may be created meanwhile, and is removed. Throws
 * ConfigError for a folder without a run, and for a run that was made in code.
 */
export async function verifyRun(
  { folder, startedIn: requestedFolder }: VerifyTask,
  perform: (request: RunRequest, hasBreakEven: boolean) => Promise<FinishedRun>,
  temporaryFolder: string,
): Promise<VerifyVerdict> {
  const stored = openRun(folder);
  checkRepeatable(stored);
  const { manifest } = stored;
  const startedIn = startFolderOf(stored, requestedFolder);
  const { files, changed, notes } = checkInputs(stored, startedIn);
  const base = { folder, inputs: files, changed, notes };
  const file = join(folder, manifest.definition.file);
  const hasBreakEven = hasBreakEvenIn(folder);
  const request: RunRequest = { kind: 'repeat', file, startedIn, origin: manifest.origin, settings: [] };
  const repeatedRun = await perform(request, hasBreakEven).catch((error: unknown) => {
    // With a changed input any error is possible. For example, bars that are not in whole ticks are a bug of isobar only if the file is
    // unchanged.
    if (error instanceof ConfigError || error instanceof StrategyError || (error instanceof Error && changed.length > 0)) return error;
    throw error;
  });
  if (repeatedRun instanceof Error) return { ...base, ...notRun(manifest.resultHash, repeatedRun) };
  const { record, summary } = repeatedRun;
  try {
    const result = checkResult(stored, record, summary, join(temporaryFolder, 'equity.arrow'));
    return {
      ...base,
      ...result,
      outcome: result.differences.length === 0 ? 'identical' : 'different',
      resultHash: { recorded: manifest.resultHash, now: summary.resultHash },
      rows: { orders: record.orders.length, fills: record.fills.length, instants: record.equity.length },
      failure: null,
    };
  } finally {
    rmSync(temporaryFolder, { recursive: true, force: true });
  }
}

/** True when the summary of a run has its break-even, which is then found again. A summary that cannot be read is reported later. */
function hasBreakEvenIn(folder: string): boolean {
  try {
    return Object.hasOwn(JSON.parse(readRunFile(join(folder, 'summary.json'))) as object, 'breakEven');
  } catch (error) {
    if (error instanceof ConfigError || error instanceof SyntaxError || error instanceof TypeError) return false;
    throw error;
  }
}

/** Returns the verdict for a run that could not be repeated. */
function notRun(recorded: string, error: Error): Omit<VerifyVerdict, 'folder' | 'inputs' | 'changed' | 'notes'> {
  return {
    outcome: 'notRun',
    resultHash: { recorded, now: null },
    rows: { orders: 0, fills: 0, instants: 0 },
    differences: [],
    isFolderAltered: false,
    failure: { message: error.message, remedy: error instanceof ConfigError || error instanceof StrategyError ? error.remedy : '' },
  };
}

/** Throws ConfigError for a run that used objects in code, which no file records. */
function checkRepeatable({ folder, manifest }: StoredRun): void {
  const { inCode } = manifest.origin;
  if (inCode.length === 0) return;
  throw new ConfigError(
    `${folder}: made in code (${inCode.join(', ')}), which is in no file that could be run again`,
    `run that code again: it must give the resultHash ${manifest.resultHash}`,
  );
}
