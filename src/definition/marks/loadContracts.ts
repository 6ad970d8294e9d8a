// Loads the futures data of a run: mark prices, funding rates, and notes about missing data.

import { appendAll } from '../../base/memory/appendAll.ts';
import { markLengthMs } from '../../adapters/catalog/files/markInterval.ts';
import type { SeriesColumns } from '../../adapters/catalog/series/seriesColumns.ts';
import { instrumentText } from '../../adapters/catalog/records/instrumentRecord.ts';
import type { SeriesKey } from '../../adapters/catalog/files/paths.ts';
import type { SeriesStore } from '../../adapters/catalog/bars/barStore.ts';
import type { ContractData } from '../../model/bars/contractData.ts';
import { ticksOf, type BarColumns } from '../../model/bars/bars.ts';
import type { FundingRates } from '../../model/bars/fundingRates.ts';
import type { InstrumentId } from '../../model/instrument.ts';
import { fixedLengthMs, type Interval } from '../../model/interval.ts';
import { formatMinute } from '../../model/time.ts';
import type { Warning } from '../../model/warning.ts';
import { markWarnings } from '../../report/warnings/dataWarnings.ts';
import { sha256 } from '../../adapters/runtime/sha256.ts';
import { finestFeeds } from '../plan/finestFeeds.ts';
import type { FeedPlan } from '../plan/plan.ts';
import { fundingOf, type FundingPlan, type PricedRows } from './funding.ts';
import { alignMarks, markKlines, type AlignedMarks, type MarkKlines } from './marks.ts';

/** Source of marks. `auto`: the best mark klines in the catalog. `bars`: the bars' own prices. */
export type MarkRule = 'auto' | 'bars';

/** The marks and the funding of all contracts of a run. */
export interface LoadedContracts {
  readonly data: ReadonlyMap<InstrumentId, ContractData>;
  /** Every input of the contracts that affects a result, by name, with the hash of its content. */
  readonly inputs: readonly { readonly name: string; readonly sha256: string }[];
  /** The catalog files that were read. */
  readonly files: readonly string[];
  readonly notes: readonly string[];
  /** Warnings about implausible mark prices. */
  readonly warnings: readonly Warning[];
}

/** Funding times and marks up to one day after the end of a run may still belong to it. */
const DAY_MS = 86_400_000;

interface MarkRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Loads marks and funding of every contract of the feeds; without a store there are none. Throws ConfigError if a file cannot be read. */
export function loadContracts(feeds: readonly FeedPlan[], store: SeriesStore | null, rule: MarkRule, range: MarkRange): LoadedContracts {
  const loadedContracts = finestFeeds(feeds).map((feed) => loadContract(feed, store, rule, range));
  return {
    data: new Map(loadedContracts.map(({ id, data }) => [id, data])),
    inputs: loadedContracts.flatMap(({ inputs }) => inputs),
    files: loadedContracts.flatMap(({ files }) => files),
    notes: loadedContracts.flatMap(({ notes }) => notes),
    warnings: loadedContracts.flatMap(({ warnings }) => warnings),
  };
}

/** Loads the marks and the funding rates of one contract. */
function loadContract(feed: FeedPlan, store: SeriesStore | null, rule: MarkRule, range: MarkRange) {
  const { bars, firstRow } = feed;
  const { instrument } = bars;
  const symbol = instrument.wireName;
  const keys = store?.keys(symbol) ?? [];
  const inputs = [{ name: `${instrument.id} instrument record`, sha256: sha256(instrumentText(instrument)) }];
  const files: string[] = [];
  const notes: string[] = [];
  /** Loads a series, and notes its hash and its file. */
  const openSeries = (key: SeriesKey, fromMs: number): SeriesColumns | null => {
    const storedSeries = store?.load(key, fromMs, range.toMs + DAY_MS) ?? null;
    if (storedSeries === null) return null;
    inputs.push({
      name: `${instrument.id} ${key.kind === 'mark' ? `mark ${key.interval}` : key.kind}`,
      sha256: storedSeries.entry.dataSha256,
    });
    files.push(storedSeries.entry.path);
    return storedSeries.columns;
  };

  const markKey = rule === 'auto' ? bestMarks(keys, bars.interval) : null;
  // Warm-up rows also need marks, because the columns must be as long as the bars. No position is judged by them.
  const markRows = markKey === null ? null : openSeries(markKey, (bars.openMs[0] ?? 0) - markLengthMs(markKey.interval));
  const klines = markKey === null || markRows === null ? null : markKlines(markRows, markKey.interval, instrument.priceDigits);
  const aligned = klines === null ? null : alignMarks(bars, klines, firstRow);
  appendAll(notes, markNotes(symbol, rule, aligned, bars.length - firstRow));

  const fundingKey = keys.find(({ kind }) => kind === 'funding');
  // No position exists before the contract has bars.
  const fromMs = Math.max(range.fromMs, bars.openMs[firstRow] ?? Infinity);
  // Loaded from the first rate on: earlier rates are not paid, but strategies can read them.
  const rates = fundingKey === undefined ? null : openSeries(fundingKey, 0);
  const plan = rates === null ? null : fundingOf(rates, pricedRows(klines, bars), bars, { fromMs, toMs: range.toMs });
  appendAll(notes, fundingNotes(symbol, plan));
  return {
    id: instrument.id,
    data: { marks: aligned?.marks ?? null, funding: plan?.funding ?? [], rates: rates === null ? null : knownRates(rates) },
    inputs,
    files,
    notes,
    warnings: klines === null ? [] : markWarnings(symbol, klines.interval, klines),
  };
}

/** Selects the longest mark klines that are not longer than the bars, because they match the bars best; else the shortest longer ones. */
function bestMarks(keys: readonly SeriesKey[], interval: Interval): (SeriesKey & { readonly kind: 'mark' }) | null {
  const lengthMs = fixedLengthMs(interval);
  const marks = keys.filter((key) => key.kind === 'mark').toSorted((a, b) => markLengthMs(a.interval) - markLengthMs(b.interval));
  // Weeks and months consist of whole days.
  const fineEnough = marks.filter((key) => lengthMs === null || lengthMs % markLengthMs(key.interval) === 0);
  return fineEnough.at(-1) ?? marks.find((key) => lengthMs !== null && markLengthMs(key.interval) % lengthMs === 0) ?? null;
}

function pricedRows(klines: MarkKlines | null, bars: BarColumns): readonly PricedRows[] {
  const barColumns = { openMs: bars.openMs, closeMs: bars.closeMs, open: ticksOf(bars, 'open'), close: ticksOf(bars, 'close') };
  return klines === null ? [barColumns] : [klines, barColumns];
}

/** Returns the funding rates of a series. */
export function knownRates({ length, timeMs, figures: [rate = new Float64Array(0)] }: SeriesColumns): FundingRates {
  return { length, timeMs, rate };
}

/** Returns notes about bars whose own prices stand in for mark prices. `barCount`: number of bars in the run. */
function markNotes(symbol: string, rule: MarkRule, aligned: AlignedMarks | null, barCount: number): readonly string[] {
  if (aligned === null)
    return [`${symbol}: positions are marked with the bars' own prices${rule === 'auto' ? ', for want of mark prices' : ''}`];
  if (aligned.uncovered === 0) return [];
  const uncoveredText = `${aligned.uncovered} of ${barCount} bars`;
  return [`${symbol}: ${uncoveredText} have no mark price, or not for all of their time: their own prices stand in`];
}

/** Returns notes about funding that is not paid, or is paid at an uncertain price. */
function fundingNotes(symbol: string, plan: FundingPlan | null): readonly string[] {
  if (plan === null) return [`${symbol}: no funding is paid, for want of funding rates`];
  const { funding, distant, unpriced } = plan;
  const notes: string[] = [];
  if (funding.length === 0) notes.push(`${symbol}: no funding is paid: none of its funding times lies in the run`);
  if (distant.length > 0) {
    notes.push(
      `${symbol}: ${distant.length} funding times have no price near, from ${formatMinute(distant[0]!)} on: the first one after counts`,
    );
  }
  if (unpriced.length > 0)
    notes.push(`${symbol}: ${unpriced.length} funding times from ${formatMinute(unpriced[0]!)} on have no price and are not paid`);
  return notes;
}
