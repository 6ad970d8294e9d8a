// Shows a run with several quote assets in its reporting asset: prices, fills and bars of the other assets converted at the closes of their time.

import { pow10 } from '../../base/number/exact.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { FeedRecord, FillColumns, OrderColumns, RunRecord } from '../../model/run/run.ts';
import { Conversion } from '../../portfolio/conversion.ts';
import { countUpTo, executionFeeds } from './daily.ts';

/** The parts of a record from which its figures are computed. */
type ViewSource = Pick<RunRecord, 'instruments' | 'fills' | 'quoteAssets' | 'feeds' | 'toMs'> & { readonly orders?: OrderColumns };

/** The converted records, by their record. */
const views = new WeakMap<object, ViewSource>();

/**
 * Returns the record with all money in the reporting asset. A price in another quote asset is multiplied by the newest close of its
 * conversion. This applies at the time of a fill, and at the open and the close of a bar. Money is rounded half up. The record itself for a
 * run with one quote asset. The result is cached with the record.
 */
export function reportingView<Of extends ViewSource>(record: Of): Of {
  if (record.quoteAssets === undefined) return record;
  let view = views.get(record);
  if (view === undefined) {
    view = viewOf(record);
    views.set(record, view);
  }
  return view as Of;
}

/** Returns the run with every asset converted. */
function viewOf(record: ViewSource): ViewSource {
  const { instruments, feeds, toMs } = record;
  const rates = instruments.map(({ quote }) => ratesOf(quote, record));
  const convertedInstruments = instruments.map((instrument, index) => rates[index]?.instrument(instrument) ?? instrument);
  const executionSet = new Set(executionFeeds(feeds));
  const convertedFeeds = feeds.map((feed): FeedRecord => {
    const index = instruments.findIndex(({ id }) => id === feed.bars.instrument.id);
    const ownRates = rates[index] ?? null;
    return ownRates === null || !executionSet.has(feed)
      ? feed
      : { ...feed, bars: convertedBars(feed.bars, ownRates, convertedInstruments[index]!) };
  });
  const markTicks = instruments.map(({ id }, index) => {
    const ownRates = rates[index] ?? null;
    const bars = feeds.find((feed) => feed.execution && feed.bars.instrument.id === id)?.bars;
    return ownRates === null || bars === undefined ? null : marksOf(bars, ownRates, toMs);
  });
  return {
    ...record,
    instruments: convertedInstruments,
    feeds: convertedFeeds,
    fills: convertedFills(record.fills, rates),
    ...(record.orders === undefined ? {} : { orders: convertedOrders(record.orders, rates, toMs) }),
    markTicks,
  } as ViewSource;
}

/** The closes that value one quote asset. */
export class Rates {
  readonly #conversion: Conversion;
  readonly #bars: BarColumns;
  readonly #startTicks: number;
  readonly #reporting: string;
  readonly digits: number;

  constructor(instrument: Instrument, index: number, { bars, firstRow }: FeedRecord) {
    this.#conversion = new Conversion(instrument, index);
    this.#bars = bars;
    this.#reporting = instrument.quote;
    this.digits = instrument.priceDigits;
    this.#startTicks = this.#ticks(firstRow > 0 ? bars.close[firstRow - 1]! : bars.open[0]!);
  }

  #ticks(price: number): number {
    return Math.round(price * pow10(this.digits));
  }
  /** Returns the newest close at a time, in ticks. */
  at(timeMs: number): number {
    const row = countUpTo(this.#bars.closeMs, this.#bars.length, timeMs) - 1;
    return row < 0 ? this.#startTicks : this.#ticks(this.#bars.close[row]!);
  }
  /** Returns the value of one unit at a time, not rounded. */
  unitValue(timeMs: number): number {
    return this.#conversion.unitValue(this.at(timeMs));
  }
  /** Returns units of the quote asset at a time in units of the reporting asset, rounded half up. */
  value(units: number, timeMs: number): number {
    return this.#conversion.value(units, this.at(timeMs));
  }
  /** Returns an instrument with prices in the reporting asset. Its digits are the sum of both, so that a product of two prices is whole. */
  instrument(ownInstrument: Instrument): Instrument {
    return { ...ownInstrument, quote: this.#reporting, priceDigits: ownInstrument.priceDigits + this.digits };
  }
}

/** Returns the closes that value a quote asset of a run. Null for the reporting asset. */
export function ratesOf(
  quote: string,
  { quoteAssets = [], instruments, feeds }: Pick<ViewSource, 'quoteAssets' | 'instruments' | 'feeds'>,
): Rates | null {
  const index = quoteAssets.find(({ asset }) => asset === quote)?.conversion ?? null;
  if (index === null) return null;
  const instrument = instruments[index]!;
  const feed = feeds.find(({ bars, execution }) => execution && bars.length > 0 && bars.instrument.id === instrument.id);
  return feed === undefined ? null : new Rates(instrument, index, feed);
}

/** Returns bars with their prices converted at the close of each bar. */
function convertedBars(bars: BarColumns, rates: Rates, instrument: Instrument): BarColumns {
  const { length, openMs, closeMs } = bars;
  const ticksPerUnit = pow10(bars.instrument.priceDigits);
  const scale = pow10(instrument.priceDigits);
  const newColumn = () => new Float64Array(length);
  const open = newColumn();
  const high = newColumn();
  const low = newColumn();
  const close = newColumn();
  const convertedPrice = (value: number, rate: number): number => (Math.round(value * ticksPerUnit) * rate) / scale;
  for (let row = 0; row < length; row++) {
    const rateAtOpen = rates.at(openMs[row]!);
    const rateAtClose = rates.at(closeMs[row]!);
    open[row] = convertedPrice(bars.open[row]!, rateAtOpen);
    close[row] = convertedPrice(bars.close[row]!, rateAtClose);
    // Inside the bar its own price moves, and the rate of its open is the newest one.
    high[row] = Math.max(convertedPrice(bars.high[row]!, rateAtOpen), close[row]!);
    low[row] = Math.min(convertedPrice(bars.low[row]!, rateAtOpen), close[row]!);
  }
  return { ...bars, instrument, open, high, low, close };
}

/** Returns the marks of a position in ticks: the closes, and for the last one in the run the newest rate of its end. */
function marksOf(bars: BarColumns, rates: Rates, toMs: number): Float64Array {
  const ticksPerUnit = pow10(bars.instrument.priceDigits);
  const lastRow = countUpTo(bars.closeMs, bars.length, toMs) - 1;
  return Float64Array.from({ length: bars.length }, (_, row) => {
    const closeTicks = Math.round(bars.close[row]! * ticksPerUnit);
    return closeTicks * rates.at(row < lastRow ? bars.closeMs[row]! : toMs);
  });
}

/** Returns fills with their prices and money converted at the time of each fill. */
function convertedFills(fills: FillColumns, rates: readonly (Rates | null)[]): FillColumns {
  const price = fills.price.slice();
  const notional = fills.notional.slice();
  const fee = fills.fee.slice();
  for (let row = 0; row < fills.length; row++) {
    const ownRates = rates[fills.instrument[row]!] ?? null;
    if (ownRates === null) continue;
    const ms = fills.timeMs[row]!;
    price[row] = price[row]! * ownRates.at(ms);
    notional[row] = ownRates.value(notional[row]!, ms);
    if (fills.feeInBase[row] === 0) fee[row] = ownRates.value(fee[row]!, ms);
  }
  return { ...fills, price, notional, fee };
}

/** Returns orders with their limits and triggers converted at the end of each order. */
function convertedOrders(orders: OrderColumns, rates: readonly (Rates | null)[], toMs: number): OrderColumns {
  const limit = orders.limit.slice();
  for (let row = 0; row < orders.length; row++) {
    const ownRates = rates[orders.instrument[row]!] ?? null;
    if (ownRates === null) continue;
    const endMs = Number.isNaN(orders.doneMs[row]!) ? toMs : orders.doneMs[row]!;
    limit[row] = limit[row]! * ownRates.at(endMs);
  }
  return { ...orders, limit };
}
