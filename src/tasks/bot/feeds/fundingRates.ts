// The funding rates with which a live bot begins: what its journal knows, then the catalog; NaN for each funding time that neither has.

import { loadSeries } from '../../../adapters/catalog/series/seriesStore.ts';
import { RATE_DIGITS } from '../../../adapters/catalog/series/series.ts';
import type { ContractData } from '../../../model/bars/marks.ts';
import { fromScaled } from '../../../base/number/decimal.ts';
import { pow10 } from '../../../base/number/exact.ts';
import { InvariantError } from '../../../base/errors.ts';
import type { FundingRates } from '../../../model/bars/fundingRates.ts';
import { GrowingRates } from '../../../model/bars/growingRates.ts';
import type { Instrument, InstrumentId } from '../../../model/instrument.ts';
import { formatMinute } from '../../../model/time.ts';
import { knownRates } from '../../../definition/marks/load.ts';
import type { FeedPlan, RunPlan } from '../../../definition/plan/plan.ts';

/** Most rates that a bot begins with: eleven months of eight hours. */
const MAX_RATES = 1000;
/** Funding times of a catalog are some ms beside the grid. */
const MINUTE_MS = 60_000;

/** What a live run has of its contracts: room for the rates that come. Marks are those of the bars, and payments are the exchange's. */
export function liveContracts(feeds: readonly FeedPlan[]): ReadonlyMap<InstrumentId, ContractData> {
  const contracts = feeds.flatMap(({ bars: { instrument } }) => (instrument.contract === undefined ? [] : [instrument.id]));
  return new Map([...new Set(contracts)].map((id) => [id, { marks: null, funding: [], rates: new GrowingRates() }]));
}

/** The rates of a contract of such a run. */
export function ratesOf({ futures }: RunPlan, id: string): GrowingRates {
  const rates = futures?.data.get(id as InstrumentId)?.rates;
  if (rates instanceof GrowingRates) return rates;
  throw new InvariantError(`${id}: its funding rates do not grow`);
}

/** As a journal has it: what is finer than a rate of any catalog is rounded away. */
export const rateText = (rate: number): string | null =>
  Number.isNaN(rate) ? null : fromScaled(Math.round(rate * pow10(RATE_DIGITS)), RATE_DIGITS);
export const rateFrom = (text: string | null): number => (text === null ? NaN : Number(text));

export interface KnownRates {
  readonly times: readonly number[];
  /** NaN: not known. */
  readonly rates: readonly number[];
}

/** The funding times of the grid after `afterMs` up to `toMs`; one just beside `afterMs` is that one. */
export function gridTimes(afterMs: number, toMs: number, periodMs: number): readonly number[] {
  const first = (Math.floor((afterMs + MINUTE_MS) / periodMs) + 1) * periodMs;
  return Array.from({ length: Math.max(0, Math.floor((toMs - first) / periodMs) + 1) }, (_, at) => first + at * periodMs);
}

/**
 * The newest rates, without a hole from the first that is known to the last funding time before `atMs`. What the journal knows counts more
 * than the catalog, because strategies have decided on it; it may know the next one already, which nobody can see yet. Of the catalog
 * nothing is taken that lies ahead.
 */
export function joinRates(
  journal: ReadonlyMap<number, string | null>,
  catalog: FundingRates | null,
  { atMs, periodMs }: { readonly atMs: number; readonly periodMs: number },
): KnownRates {
  const known = new Map<number, readonly [timeMs: number, rate: number]>();
  const take = (timeMs: number, rate: number): void => {
    if (!Number.isNaN(rate)) known.set(Math.round(timeMs / MINUTE_MS), [timeMs, rate]);
  };
  catalog?.timeMs.subarray(0, catalog.length).forEach((timeMs, row) => void (timeMs <= atMs && take(timeMs, catalog.rate[row]!)));
  for (const [timeMs, rate] of journal) take(timeMs, rateFrom(rate));
  const rows: (readonly [number, number])[] = [];
  const fill = (toMs: number): void => {
    const [lastMs = NaN] = rows.at(-1) ?? [];
    if (rows.length > 0) for (const timeMs of gridTimes(lastMs, toMs, periodMs)) rows.push([timeMs, NaN]);
  };
  for (const row of [...known.values()].toSorted(([a], [b]) => a - b)) {
    fill(row[0] - MINUTE_MS - 1);
    rows.push(row);
  }
  fill(atMs);
  const newest = rows.slice(-MAX_RATES);
  return { times: newest.map(([timeMs]) => timeMs), rates: newest.map(([, rate]) => rate) };
}

/** What the rates of a contract lack as a bot begins at `atMs`, in words; null: nothing. */
export function missingRates({ wireName }: Instrument, { times, rates }: KnownRates, nextMs: number): string | null {
  if (rates.every(Number.isNaN)) return `no funding rate of ${wireName} is known; the first will be that of ${formatMinute(nextMs)}`;
  const holes = times.filter((_, at) => Number.isNaN(rates[at]));
  const [first = NaN] = holes;
  if (holes.length === 0) return null;
  if (holes.length === 1) return `1 funding rate of ${wireName} is missing, that of ${formatMinute(first)}`;
  return `${holes.length} funding rates of ${wireName} are missing, from ${formatMinute(first)} to ${formatMinute(holes.at(-1)!)}`;
}

/** The rates of a contract in the catalog; null: none. */
export function catalogRates(catalog: string, symbol: string): FundingRates | null {
  const loaded = loadSeries(catalog, { kind: 'funding', symbol });
  return loaded === null ? null : knownRates(loaded.columns);
}
