// Runs a sweep for `isobar sweep`: opens the trial ledger, runs the missing sets and collects the results.

import { fileError } from '../../adapters/disk/fileError.ts';
import { assert } from '../../base/assert.ts';
import { ConfigError } from '../../base/errors.ts';
import { SET_FIGURES } from '../../report/sweep/figures/setFigures.ts';
import { changedParts } from '../trials/identity.ts';
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
} from '../trials/ledger.ts';
import type { SetLine } from '../trials/ledgerLine.ts';
import { lockLedger } from './ledgerLock.ts';
import { driveSweep, type TaskRunner } from './search/sweep.ts';
import { tasksOf } from './search/tiles.ts';
import type { SweepSetup } from './plan/setUp.ts';

/** What to do with results of the same sweep in the ledger. */
export type SweepStart = 'new' | 'resume' | 'fresh';

export interface SweepRun {
  readonly setup: SweepSetup;
  readonly ledgerPath: string;
  readonly results: ReadonlyMap<number, SetLine>;
}

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
 * Runs the sets that are not in the ledger. Rejects when a set fails, or with the signal's reason. Results up to then are in the ledger.
 */
export async function runSweep(setup: SweepSetup, options: SweepOptions): Promise<SweepRun> {
  const { ledgerFolder, header, sets } = setup;
  const unlock = lockIn(ledgerFolder, header);
  try {
    const found = findSweep(setup, options.start);
    const ledgerPath = found?.path ?? freshPath(ledgerFolder, header);
    const results = new Map(found?.results);
    options.onOpen(results.size);
    if (results.size < sets.length) {
      // Open the runner first: if it fails, nothing was started.
      const runner = await options.openRunner();
      try {
        const ledger = found === null ? await createLedger(ledgerPath, header) : await continueLedger(found);
        try {
          await drive(setup, runner, ledger, results, options);
        } finally {
          await ledger.close();
        }
      } finally {
        await runner.close();
      }
    }
    return { setup, ledgerPath, results };
  } catch (error) {
    throw ofLedger(ledgerFolder, error);
  } finally {
    unlock();
  }
}

function lockIn(folder: string, header: SweepSetup['header']): () => void {
  try {
    return lockLedger(folder, header);
  } catch (error) {
    throw ofLedger(folder, error);
  }
}

/** Errors of sockets and queues are reported elsewhere. */
const DISK_CALLS = new Set(['mkdir', 'open', 'write', 'fdatasync', 'ftruncate', 'close', 'scandir']);

/** Explains errors of the disk, such as a full one. What was written before stays. */
function ofLedger(folder: string, error: unknown): unknown {
  const isOfDisk = error instanceof Error && 'syscall' in error && DISK_CALLS.has(String(error.syscall));
  return isOfDisk ? fileError(folder, 'the trial ledger cannot be written', error) : error;
}

async function drive(
  { sets, axes, rows }: SweepSetup,
  runner: TaskRunner,
  ledger: LedgerWriter,
  results: Map<number, SetLine>,
  { onProgress, signal, parallel }: SweepOptions,
): Promise<void> {
  const tiles = tasksOf(axes, sets, rows, parallel);
  await driveSweep({ sets, tiles, figures: SET_FIGURES, runner, ledger, results, onProgress, signal });
  assert(results.size === sets.length, `${results.size} of ${sets.length} sets have a result`);
}

/** Returns the ledger of the same sweep to continue, or null. Throws ConfigError if the user must decide. */
function findSweep({ ledgerFolder, identity, header }: SweepSetup, beginning: SweepStart): LedgerContent | null {
  if (beginning === 'fresh') return null;
  const path = findLedger(ledgerFolder, identity.id);
  const found = path === null ? null : readLedger(path);
  if (found !== null && (beginning === 'resume' || isFinished(found))) return found;
  if (found !== null) {
    throw new ConfigError(
      `${found.path}: a sweep of the same inputs was cut, with ${found.results.size} of ${found.header.sets} sets done`,
      '--resume continues it, --fresh starts over',
    );
  }
  if (beginning === 'new') return null;
  const cut = readLedgers(ledgerFolder).filter((ledger) => ledger.header.name === header.name && !isFinished(ledger));
  const last = cut.toSorted((a, b) => (a.header.startedAt < b.header.startedAt ? 1 : -1))[0];
  if (last === undefined)
    throw new ConfigError(`--resume: the ledger ${ledgerFolder} has no sweep of ${header.name} that was cut`, 'leave --resume out');
  throw new ConfigError(
    `--resume: ${last.path} was made from other inputs: ${changedParts(last.header.parts, identity.parts).join('; ')}`,
    'restore them, or leave --resume out to begin a new sweep',
  );
}
