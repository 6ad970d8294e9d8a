// A finished run made again from its folder, and what came of it: identical, or what differs and which input has changed.

import { rmSync } from 'node:fs';
import { ConfigError, StrategyError } from '../../../base/errors.ts';
import { join } from 'node:path';
import type { RunRequest } from '../../../definition/request.ts';
import type { FinishedRun } from '../run/executeDefinition.ts';
import { openRun, startFolderOf, type StoredRun } from '../folder/read.ts';
import { checkInputs, type ChangedInput } from './inputs.ts';
import { checkResult } from './result.ts';
import type { TableDifference } from './tables.ts';

export interface VerifyTask {
  readonly folder: string;
  /** Where paths of the run begin, in place of the folder in which it was started. */
  readonly startedIn: string | null;
}

export interface VerifyVerdict {
  readonly folder: string;
  /** `notRun`: it could not be made again, and `failure` says why. */
  readonly outcome: 'identical' | 'different' | 'notRun';
  readonly resultHash: { readonly recorded: string; readonly now: string | null };
  /** What was compared. */
  readonly rows: { readonly orders: number; readonly fills: number; readonly instants: number };
  readonly differences: readonly TableDifference[];
  /** Orders, fills and equity of the folder do not have the hash that the run recorded: they or the hash were changed after it. */
  readonly isFolderAltered: boolean;
  /** Inputs that are no longer what the run read, and the number of all that were looked at. */
  readonly changed: readonly ChangedInput[];
  readonly inputs: number;
  /** Versions that differ. */
  readonly notes: readonly string[];
  readonly failure: { readonly message: string; readonly remedy: string } | null;
}

/**
 * Makes the run of a folder again and compares. `perform` runs what it is given; `temporaryFolder` may be made meanwhile, and is removed.
 * Throws ConfigError for a folder that is no run, and for a run that was made in code.
 */
export async function verifyRun(
  { folder, startedIn: given }: VerifyTask,
  perform: (request: RunRequest) => Promise<FinishedRun>,
  temporaryFolder: string,
): Promise<VerifyVerdict> {
  const stored = openRun(folder);
  checkRepeatable(stored);
  const { manifest } = stored;
  const startedIn = startFolderOf(stored, given);
  const { files, changed, notes } = checkInputs(stored, startedIn);
  const base = { folder, inputs: files, changed, notes };
  const file = join(folder, manifest.definition.file);
  const made = await perform({ kind: 'repeat', file, startedIn, origin: manifest.origin, settings: [] }).catch((error: unknown) => {
    // With another input anything may go wrong: bars of no whole tick, for one, are a fault of isobar only while it wrote them itself.
    if (error instanceof ConfigError || error instanceof StrategyError || (error instanceof Error && changed.length > 0)) return error;
    throw error;
  });
  if (made instanceof Error) return { ...base, ...notRun(manifest.resultHash, made) };
  const { record, summary } = made;
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

function checkRepeatable({ folder, manifest }: StoredRun): void {
  const { inCode } = manifest.origin;
  if (inCode.length === 0) return;
  throw new ConfigError(
    `${folder}: made in code (${inCode.join(', ')}), which is in no file that could be run again`,
    `run that code again: it must give the resultHash ${manifest.resultHash}`,
  );
}
