// Explains a bar or an order of a run folder: repeats the run from its recorded inputs, which must be unchanged.

import { join } from 'node:path';
import { largestOf } from '../../../base/number/extremes.ts';
import { ConfigError } from '../../../base/errors.ts';
import { counted } from '../../../base/text/format.ts';
import { shellWord } from '../../../base/text/shellWord.ts';
import { loadEntry } from '../../../definition/load/strategies.ts';
import { openRequest } from '../../../definition/request.ts';
import { resolveRun, type ResolveOptions } from '../../../definition/resolve.ts';
import { openRun, startFolderOf, type StoredRun } from '../../backtest/folder/readRunFolder.ts';
import { checkInputs } from '../../backtest/verify/checkInputs.ts';
import type { Explanation, Question } from '../model/explanation.ts';
import { notesOfFillsBefore } from './fillsBefore.ts';
import { repeatBar, type RerunResult, type RerunTarget } from './repeatBar.ts';
import { readStoredOrder, type StoredRow } from './storedOrder.ts';

/** How a run is explained. */
export interface ExplainRunOptions {
  /** The folder to which the paths of the run are relative; null: the recorded folder. */
  readonly startedIn: string | null;
  /** Folder for bars that are imported again; null: a temporary one. */
  readonly barsFolder: string | null;
  readonly importer?: NonNullable<ResolveOptions['importer']>;
  readonly progressCells?: Int32Array | null;
  /** Called with the name and the rows of the run before its first bar. */
  readonly onLoaded?: (name: string, rows: number) => void;
}

/**
 * Returns the explanation. Throws ConfigError for a folder without a run, for changed inputs, and for a bar or an order that the run does
 * not have.
 */
export async function explainRun(folder: string, question: Question, options: ExplainRunOptions): Promise<Explanation> {
  const stored = openRun(folder);
  const startedIn = startFolderOf(stored, options.startedIn);
  const notes = checkSameInputs(stored, startedIn);
  const row = question.order === null ? null : readStoredOrder(folder, question.order);
  const file = join(folder, stored.manifest.definition.file);
  const { source, bars } = await openRequest(
    { kind: 'repeat', file, startedIn, origin: stored.manifest.origin, settings: [] },
    options.barsFolder,
  );
  const { importer = (url) => import(/* @vite-ignore */ url) } = options;
  const { plan } = await resolveRun(source, { bars, importer, load: (entry, from) => loadEntry(entry, from, importer) });
  options.onLoaded?.(plan.name, largestOf(plan.feeds.map((feed) => feed.bars.length)));
  const repeated = await repeatBar(plan, targetOf(question, row), options.progressCells);
  if (row !== null) checkSameOrder(folder, repeated, question.order!, row);
  const { bar, strategies, orders, venue } = repeated;
  return {
    source: 'run',
    folder,
    name: plan.name,
    question,
    bar,
    strategies,
    orders: askedFirst(orders, question.order),
    venue,
    notes: [...notes, ...repeated.notes, ...notesOfFillsBefore(folder, question.atMs, bar, venue)],
  };
}

/** Returns the subject of the question. `row` is the stored order, or null for a question about a bar. */
function targetOf({ atMs, symbol, order }: Question, row: StoredRow | null): RerunTarget {
  if (order !== null && row !== null)
    return { kind: 'order', order, createdMs: Number(row['created_ms']), symbol: row['instrument'] ?? '' };
  return { kind: 'bar', atMs: atMs ?? NaN, symbol };
}

/** Returns notes about versions that differ. Throws ConfigError when an input has changed since the run. */
function checkSameInputs(stored: StoredRun, startedIn: string): readonly string[] {
  const { folder, manifest } = stored;
  if (manifest.origin.inCode.length > 0) {
    throw new ConfigError(
      `${folder}: parts of the run were made in code (${manifest.origin.inCode.join(', ')}), and no file of the run has them`,
      'run again with a strategy file and bars in files',
    );
  }
  const { changed, notes } = checkInputs(stored, startedIn);
  const [first] = changed;
  if (first === undefined) return notes;
  const isOne = changed.length === 1;
  const others = isOne ? '' : ` and ${counted(changed.length - 1, 'other input')}`;
  throw new ConfigError(
    `${folder}: ${first.file}${others} ${isOne ? 'has' : 'have'} changed since the run, so the run cannot be repeated`,
    `restore ${isOne ? 'it' : 'them'} (isobar verify ${shellWord(folder)} lists all), or run isobar backtest again`,
  );
}

/** Throws ConfigError if the repeated run has decided another order than orders.csv has under this number. */
function checkSameOrder(folder: string, { orders }: RerunResult, number: number, row: StoredRow): void {
  const order = orders.find((candidate) => candidate.order === number);
  if (order === undefined) return;
  const repeated: StoredRow = {
    created_ms: String(order.createdMs),
    instrument: order.instrument,
    side: order.side,
    ending: order.ending,
    code: order.code ?? '',
  };
  const column = Object.keys(repeated).find((name) => repeated[name] !== row[name]);
  if (column === undefined) return;
  const textOrNothing = (text: string | undefined): string => (text === '' ? 'nothing' : String(text));
  const recordedText = textOrNothing(row[column]);
  const repeatedText = textOrNothing(repeated[column]);
  throw new ConfigError(
    `${folder}: order ${number}, ${column}: recorded ${recordedText}, the repeated run has ${repeatedText}`,
    `isobar verify ${shellWord(folder)} shows the reason`,
  );
}

/** Returns the orders by number, with the order of the question first. */
function askedFirst(orders: Explanation['orders'], number: number | null): Explanation['orders'] {
  return orders.toSorted((a, b) => Number(b.order === number) - Number(a.order === number) || a.order - b.order);
}
