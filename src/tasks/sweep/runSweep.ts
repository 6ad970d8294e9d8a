// Runs a sweep for `isobar sweep`: opens the trial ledger, runs the missing sets and collects the results.

import { fileError } from '../../adapters/disk/fileError.ts';
import { assert } from '../../base/assert.ts';
import { ConfigError } from '../../base/errors.ts';
import { SET_FIGURES } from '../../report/sweep/figures/setFigures.ts';
import { changedParts } from '../trials/sweepIdentity.ts';
import {
  continueLedger,
  createLedger,
  findLedger,
  freshPath,
  isFinished,
  readLedger,
  readLedgers,
  type LedgerContent,
  type LedgerWriter,
} from '../trials/trialLedger.ts';
import type { SetLine } from '../trials/ledgerLine.ts';
import { lockLedger } from './ledgerLock.ts';
import { driveSweep, type TaskRunner } from './search/sweep.ts';
import { tasksOf } from './search/tiles.ts';
import type { SweepSetup } from './plan/setUp.ts';

/** How a sweep treats earlier results of the same sweep in the ledger. */
export type SweepStart = 'new' | 'resume' | 'fresh';

/** A sweep with a result for every set. */
export interface SweepRun {
  readonly setup: SweepSetup;
  readonly ledgerPath: string;
  readonly results: ReadonlyMap<number, SetLine>;
}

/** How a sweep runs. */
export interface SweepOptions {
  readonly start: SweepStart;
  /** Number of threads, or machines times threads. Affects only the size of tasks. */
  readonly parallel: number;
  readonly openRunner: () => Promise<TaskRunner>;
  /** Called once the ledger is open, with the number of sets that it already has. */
  readonly onOpen: (done: number) => void;
  readonly onProgress: (done: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Runs the sets that are not in the ledger. Rejects when a set fails, or with the signal's reason; earlier results are then in the ledger.
 */
export async function runSweep(setup: SweepSetup, options: SweepOptions): Promise<SweepRun> {
  const { ledgerFolder, header, sets } = setup;
  const unlock = lockWithErrors(ledgerFolder, header);
  try {
    const earlierSweep = findSweep(setup, options.start);
    const ledgerPath = earlierSweep?.path ?? freshPath(ledgerFolder, header);
    const results = new Map(earlierSweep?.results);
    options.onOpen(results.size);
    if (results.size < sets.length) {
      // Open the runner first: if it fails, nothing was started.
      const runner = await options.openRunner();
      try {
        const ledger = earlierSweep === null ? await createLedger(ledgerPath, header) : await continueLedger(earlierSweep);
        try {
          await runMissing(setup, { runner, ledger, results }, options);
        } finally {
          await ledger.close();
        }
      } finally {
        await runner.close();
      }
    }
    return { setup, ledgerPath, results };
  } catch (error) {
    throw explainDiskError(ledgerFolder, error);
  } finally {
    unlock();
  }
}

/** Locks the ledger, and returns the function that unlocks it. An error of the disk becomes a ConfigError. */
function lockWithErrors(folder: string, header: SweepSetup['header']): () => void {
  try {
    return lockLedger(folder, header);
  } catch (error) {
    throw explainDiskError(folder, error);
  }
}

/** System calls of the disk. Errors of sockets and queues are reported elsewhere. */
const DISK_CALLS = new Set(['mkdir', 'open', 'write', 'fdatasync', 'ftruncate', 'close', 'scandir']);

/** Returns disk errors, such as a full disk, with an explanation, and other errors unchanged. Earlier results stay in the ledger. */
function explainDiskError(folder: string, error: unknown): unknown {
  const isOfDisk = error instanceof Error && 'syscall' in error && DISK_CALLS.has(String(error.syscall));
  return isOfDisk ? fileError(folder, 'the trial ledger cannot be written', error) : error;
}

/** Where missing sets run, and where their results go. */
interface MissingRuns {
  readonly runner: TaskRunner;
  readonly ledger: LedgerWriter;
  /** Results by set. Those of the ledger are there already. */
  readonly results: Map<number, SetLine>;
}

/** Runs the missing sets and checks that every set has a result. */
async function runMissing(
  { sets, axes, rows }: SweepSetup,
  { runner, ledger, results }: MissingRuns,
  { onProgress, signal, parallel }: SweepOptions,
): Promise<void> {
  const tiles = tasksOf(axes, sets, rows, parallel);
  await driveSweep({ sets, tiles, figures: SET_FIGURES, runner, ledger, results, onProgress, signal });
  assert(results.size === sets.length, `${results.size} of ${sets.length} sets have a result`);
}

/** Returns the ledger of the same sweep to continue, or null. Throws ConfigError if the user must decide. */
function findSweep({ ledgerFolder, identity, header }: SweepSetup, start: SweepStart): LedgerContent | null {
  if (start === 'fresh') return null;
  const path = findLedger(ledgerFolder, identity.id);
  const earlierLedger = path === null ? null : readLedger(path);
  if (earlierLedger !== null && (start === 'resume' || isFinished(earlierLedger))) return earlierLedger;
  if (earlierLedger !== null) {
    const doneText = `${earlierLedger.results.size} of ${earlierLedger.header.sets} sets done`;
    throw new ConfigError(
      `${earlierLedger.path}: a sweep with the same inputs was interrupted, with ${doneText}`,
      'use --resume to continue it, or --fresh to start over',
    );
  }
  if (start === 'new') return null;
  const interrupted = readLedgers(ledgerFolder).filter((ledger) => ledger.header.name === header.name && !isFinished(ledger));
  const [newest] = interrupted.toSorted((a, b) => (a.header.startedAt < b.header.startedAt ? 1 : -1));
  if (newest === undefined)
    throw new ConfigError(`--resume: the ledger ${ledgerFolder} has no interrupted sweep of ${header.name}`, 'remove --resume');
  throw new ConfigError(
    `--resume: ${newest.path} has other inputs: ${changedParts(newest.header.parts, identity.parts).join('; ')}`,
    'restore them, or remove --resume to begin a new sweep',
  );
}
