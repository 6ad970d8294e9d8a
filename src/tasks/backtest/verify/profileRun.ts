// The figures of another tool from a finished run: reads its folder, and the closes of its bars where they can be read again.

import { join } from 'node:path';
import { smallestOf } from '../../../base/number/extremes.ts';
import { readInputFile } from '../../../adapters/disk/regularFile.ts';
import { ConfigError, StrategyError } from '../../../base/errors.ts';
import { sanitizeText } from '../../../base/text/untrustedText.ts';
import { firstAfter } from '../../../base/number/search.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { openRequest } from '../../../definition/request.ts';
import { resolveRun } from '../../../definition/resolve.ts';
import { typicalLengthMs, type Interval } from '../../../model/interval.ts';
import { closesAt, buyAndHoldReturns, type PricedFeed } from '../../../report/profiles/figures/closes.ts';
import type { ProfileBars, ProfileInput, ProfileTrades } from '../../../report/profiles/figures/profileInput.ts';
import type { ProfileName } from '../../../report/profiles/names.ts';
import { figureProfileOf, type FigureProfile } from '../../../report/profiles/profile.ts';
import type { Summary } from '../../../report/summary/summary.ts';
import { openRun, readStoredEquity, readSummary, startFolderOf, type StoredRun } from '../folder/readRunFolder.ts';
import { checkInputs } from './checkInputs.ts';
import { csvCells } from './storedTable.ts';

const DAY_MS = 86_400_000;
/** Longest cell of a damaged table in a message. */
const MAX_CELL_CHARS = 40;

/** The figures of a run in the definitions of another tool. */
export interface RunProfile {
  readonly summary: Summary;
  readonly profile: FigureProfile;
  /** Why figures are absent. Null when all are there. */
  readonly note: string | null;
}

/** Returns the profile of a run folder. Throws ConfigError for a folder without a run, and for one that was changed. */
export async function profileRun(folder: string, name: ProfileName): Promise<RunProfile> {
  const run = openRun(folder);
  const summary = readSummary(run);
  const input = profileInput(folder, summary);
  const priced = name === 'freqtrade' ? { input, note: null } : await withPrices(run, summary, input);
  return { summary, profile: figureProfileOf(name, priced.input, summary), note: priced.note };
}

/** Reads what a profile computes from, without closes. */
export function profileInput(folder: string, summary: Summary): ProfileInput {
  const { days, dailyReturns } = summary.metrics;
  return {
    startEquity: Number(summary.run.startEquity),
    endEquity: Number(summary.run.endEquity),
    // A sample at midnight ends the day before it.
    returns: {
      dayMs: Float64Array.from(days, (ms) => Math.floor((ms - 1) / DAY_MS) * DAY_MS),
      values: Float64Array.from(dailyReturns),
      benchmark: null,
    },
    bars: storedBars(folder, summary),
    trades: storedTrades(folder, summary),
  };
}

/** Reads the equity of a run folder as bars of the execution interval, without closes. */
function storedBars(folder: string, { run: { feeds } }: Summary): ProfileBars {
  const { timeMs, equity } = readStoredEquity(folder);
  const intervalMs = smallestOf(feeds.filter((feed) => feed.execution).map(({ interval }) => typicalLengthMs(interval as Interval)));
  return { intervalMs, openMs: timeMs.map((ms) => ms - intervalMs), equity, close: null };
}

/** Reads the trades of a run folder. Throws ConfigError if rows or columns are missing, or a number is damaged. */
function storedTrades(folder: string, { trades: { trades: expectedTrades } }: Summary): ProfileTrades {
  const path = join(folder, 'trades.csv');
  const [header = '', ...lines] = readInputFile(path).toString('utf8').trimEnd().split('\n');
  const names = csvCells(header);
  const rows = lines.map(csvCells);
  const remedy = 'isobar verify says what has changed';
  if (rows.length !== expectedTrades)
    throw new ConfigError(`${path}: expected ${expectedTrades} trades, as in summary.json, got ${rows.length} rows`, remedy);
  const damagedRow = rows.findIndex((row) => row.length !== names.length);
  if (damagedRow >= 0) throw new ConfigError(`${path}:${damagedRow + 2}: expected ${names.length} cells, as in the header`, remedy);
  const columnOf = (name: string): number => {
    const column = names.indexOf(name);
    if (column < 0) throw new ConfigError(`${path}: expected a column ${name}, found none`, remedy);
    return column;
  };
  const numbers = (name: string): Float64Array => {
    const column = columnOf(name);
    return Float64Array.from(rows, ({ [column]: cell = '' }, index) => {
      if (cell === '' || Number.isFinite(Number(cell))) return cell === '' ? NaN : Number(cell);
      throw new ConfigError(`${path}:${index + 2} ${name}: expected a number, got ${sanitizeText(cell, MAX_CELL_CHARS)}`, remedy);
    });
  };
  const side = columnOf('side');
  const wrongSide = rows.findIndex((row) => row[side] !== 'long' && row[side] !== 'short');
  if (wrongSide >= 0) {
    const cell = sanitizeText(rows[wrongSide]![side]!, MAX_CELL_CHARS);
    throw new ConfigError(`${path}:${wrongSide + 2} side: expected long or short, got ${cell}`, remedy);
  }
  return {
    length: rows.length,
    isShort: Uint8Array.from(rows, (row) => (row[side] === 'short' ? 1 : 0)),
    entryMs: numbers('entry_ms'),
    exitMs: numbers('exit_ms'),
    entryPrice: numbers('entry_price'),
    exitPrice: numbers('exit_price'),
    quantity: numbers('quantity'),
    entryNotional: numbers('entry_notional'),
    fees: numbers('fees'),
    pnl: numbers('pnl'),
    returnFraction: numbers('return_fraction'),
  };
}

/** The input of a profile, and why prices are missing in it; a null note: nothing is missing. */
interface PricedInput {
  readonly input: ProfileInput;
  readonly note: string | null;
}

/** Reads the bars of the run again and adds closes and benchmark. The note says why that was not possible. */
async function withPrices(run: StoredRun, summary: Summary, input: ProfileInput): Promise<PricedInput> {
  const withoutPrices = (why: string): PricedInput => ({ input, note: `the figures of prices and benchmark are missing: ${why}` });
  const { origin, definition } = run.manifest;
  if (origin.inCode.length > 0)
    return withoutPrices(`the run was made in code (${origin.inCode.join(', ')}), so its bars cannot be read again`);
  const startedIn = startFolderOf(run, null);
  const changed = checkInputs(run, startedIn).changed.filter(({ use }) => use === 'data');
  const [first] = changed;
  if (first !== undefined) return withoutPrices(`${first.file} ${first.now === null ? 'no longer exists' : 'has changed since the run'}`);
  try {
    const { source, bars } = await openRequest({
      kind: 'repeat',
      file: join(run.folder, definition.file),
      startedIn,
      origin,
      settings: [],
    });
    const { plan } = await resolveRun(source, { bars });
    const closeMs = input.bars.openMs.map((ms) => ms + input.bars.intervalMs);
    const feeds = executionFeeds(plan, summary);
    const pricedBars = { ...input.bars, close: closesAt(closeMs, feeds, summary.run.fromMs) };
    return { input: { ...withBenchmark(run, summary, input, feeds), bars: pricedBars }, note: null };
  } catch (error) {
    if (error instanceof ConfigError || error instanceof StrategyError) return withoutPrices(error.message);
    throw error;
  }
}

/** Returns the feeds in whose bars the orders filled, one for each instrument. */
function executionFeeds({ feeds }: RunPlan, { run }: Summary): readonly PricedFeed[] {
  const pricedFeeds = new Map<string, PricedFeed>();
  for (const { instrument, interval, execution } of run.feeds) {
    const feed = feeds.find(({ bars }) => execution && bars.instrument.id === instrument && bars.interval === interval);
    // A bar belongs to the run if it closes after the start, also where it opens before it.
    if (feed === undefined) continue;
    const firstRow = firstAfter(feed.bars.closeMs, 0, feed.bars.length, run.fromMs);
    pricedFeeds.set(instrument, { bars: feed.bars, firstRow });
  }
  return [...pricedFeeds.values()];
}

/** Adds buy-and-hold of the instruments that were traded; of all that could be, in a run without a fill. */
function withBenchmark({ folder }: StoredRun, { run, metrics }: Summary, input: ProfileInput, feeds: readonly PricedFeed[]): ProfileInput {
  const traded = new Set(storedColumn(join(folder, 'fills.csv'), 'instrument'));
  const tradedFeeds = traded.size === 0 ? feeds : feeds.filter(({ bars }) => traded.has(bars.instrument.id));
  const benchmark = buyAndHoldReturns(Float64Array.of(run.fromMs, ...metrics.days), tradedFeeds);
  return { ...input, returns: { ...input.returns, benchmark } };
}

/** Reads one column of a CSV file. */
function storedColumn(path: string, name: string): readonly string[] {
  const [header = '', ...lines] = readInputFile(path).toString('utf8').trimEnd().split('\n');
  const column = csvCells(header).indexOf(name);
  return lines.map((line) => csvCells(line)[column] ?? '');
}
