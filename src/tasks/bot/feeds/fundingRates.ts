// The known funding rates of a live bot at its start, from its journal and from the catalog. A rate that neither has is NaN.

import { loadSeries } from '../../../adapters/catalog/series/seriesStore.ts';
import { RATE_DIGITS } from '../../../adapters/catalog/series/seriesColumns.ts';
import type { ContractData } from '../../../model/bars/contractData.ts';
import { fromScaled } from '../../../base/number/decimal.ts';
import { pow10 } from '../../../base/number/exact.ts';
import { InvariantError } from '../../../base/errors.ts';
import type { FundingRates } from '../../../model/bars/fundingRates.ts';
import { GrowingRates } from '../../../model/bars/growingRates.ts';
import type { Instrument, InstrumentId } from '../../../model/instrument.ts';
import { formatMinute } from '../../../model/time.ts';
import { knownRates } from '../../../definition/marks/loadContracts.ts';
import type { FeedPlan, RunPlan } from '../../../definition/plan/plan.ts';

/** Maximum number of rates at the start: eleven months at one rate every eight hours. */
const MAX_RATES = 1000;
/** Times within one minute are the same funding time: those of a catalog are a few ms away from the grid. */
const MINUTE_MS = 60_000;

/** Returns empty, growing rates for each contract of a live run. Marks come from the bars, funding payments from the exchange. */
export function liveContracts(feeds: readonly FeedPlan[]): ReadonlyMap<InstrumentId, ContractData> {
  const contracts = feeds.flatMap(({ bars: { instrument } }) => (instrument.contract === undefined ? [] : [instrument.id]));
  return new Map([...new Set(contracts)].map((id) => [id, { marks: null, funding: [], rates: new GrowingRates() }]));
}

/** Returns the growing rates of a contract in a live run. */
export function growingRatesOf({ futures }: RunPlan, id: string): GrowingRates {
  const rates = futures?.data.get(id as InstrumentId)?.rates;
  if (rates instanceof GrowingRates) return rates;
  throw new InvariantError(`${id}: expected funding rates that can grow`);
}

/** Formats a rate for the journal, rounded to the digits of catalog rates. */
export const rateText = (rate: number): string | null =>
  Number.isNaN(rate) ? null : fromScaled(Math.round(rate * pow10(RATE_DIGITS)), RATE_DIGITS);
/** Returns the rate in a record; NaN for an unknown one. */
export const rateFrom = (text: string | null): number => (text === null ? NaN : Number(text));

/** Rates by funding time, in order. */
export interface KnownRates {
  readonly times: readonly number[];
  /** NaN: unknown. */
  readonly rates: readonly number[];
}

/** Returns the funding times of the grid after `afterMs`, up to `toMs`. A time within a minute of `afterMs` counts as `afterMs`. */
export function gridTimes(afterMs: number, toMs: number, periodMs: number): readonly number[] {
  const firstMs = (Math.floor((afterMs + MINUTE_MS) / periodMs) + 1) * periodMs;
  const times: number[] = [];
  for (let timeMs = firstMs; timeMs <= toMs; timeMs += periodMs) times.push(timeMs);
  return times;
}

/** A rate and its funding time. */
interface TimedRate {
  readonly timeMs: number;
  readonly rate: number;
}

/**
 * Returns the newest rates, without a gap from the first known one to the last funding time before `atMs`. A rate of the journal replaces
 * that of the catalog, because strategies have decided on it. The journal may contain the next rate, which is not visible yet. Catalog
 * rates after `atMs` are not used.
 */
export function joinRates(
  journal: ReadonlyMap<number, string | null>,
  catalog: FundingRates | null,
  { atMs, periodMs }: { readonly atMs: number; readonly periodMs: number },
): KnownRates {
  const ratesByMinute = new Map<number, TimedRate>();
  const add = (timeMs: number, rate: number): void => {
    if (!Number.isNaN(rate)) ratesByMinute.set(Math.round(timeMs / MINUTE_MS), { timeMs, rate });
  };
  catalog?.timeMs.subarray(0, catalog.length).forEach((timeMs, row) => {
    if (timeMs <= atMs) add(timeMs, catalog.rate[row]!);
  });
  // A journal rate replaces the catalog rate of the same minute.
  for (const [timeMs, text] of journal) add(timeMs, rateFrom(text));
  const inOrder = [...ratesByMinute.values()].toSorted((earlier, later) => earlier.timeMs - later.timeMs);
  const newest = withoutGaps(inOrder, atMs, periodMs).slice(-MAX_RATES);
  return { times: newest.map(({ timeMs }) => timeMs), rates: newest.map(({ rate }) => rate) };
}

/** Returns the rates with NaN at every missing funding time from the first one to `toMs`. */
function withoutGaps(rates: readonly TimedRate[], toMs: number, periodMs: number): readonly TimedRate[] {
  const filled: TimedRate[] = [];
  const fillUntil = (untilMs: number): void => {
    const last = filled.at(-1);
    if (last !== undefined) for (const timeMs of gridTimes(last.timeMs, untilMs, periodMs)) filled.push({ timeMs, rate: NaN });
  };
  for (const rate of rates) {
    fillUntil(rate.timeMs - MINUTE_MS - 1);
    filled.push(rate);
  }
  fillUntil(toMs);
  return filled;
}

/** Returns a sentence about the rates that are missing at the start; null: none. `nextMs`: the next funding time. */
export function missingRates({ wireName }: Instrument, { times, rates }: KnownRates, nextMs: number): string | null {
  if (rates.every(Number.isNaN)) return `no funding rate of ${wireName} is known; the first will be the rate of ${formatMinute(nextMs)}`;
  const missing = times.filter((_, index) => Number.isNaN(rates[index]));
  const [first = NaN] = missing;
  if (missing.length === 0) return null;
  if (missing.length === 1) return `1 funding rate of ${wireName} is missing, the rate of ${formatMinute(first)}`;
  return `${missing.length} funding rates of ${wireName} are missing, from ${formatMinute(first)} to ${formatMinute(missing.at(-1)!)}`;
}

/** Returns the rates of a contract from the catalog; null: it has none. */
export function catalogRates(catalog: string, symbol: string): FundingRates | null {
  const storedRates = loadSeries(catalog, { kind: 'funding', symbol });
  return storedRates === null ? null : knownRates(storedRates.columns);
}
