// Shows a run with several quote assets in its reporting asset: prices, fills and bars of the other assets converted at the closes of their time.

import { pow10 } from '../../base/number/exact.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { FeedRecord, FillColumns, OrderColumns, RunRecord } from '../../model/run/run.ts';
import { Conversion } from '../../portfolio/conversion.ts';
import { countUpTo, executionFeeds } from './daily.ts';

/** The parts of a record from which its figures are computed. */
type ViewSource = Pick<RunRecord, 'instruments' | 'fills' | 'quoteAssets' | 'feeds' | 'toMs'> & { readonly orders?: OrderColumns };

const views = new WeakMap<object, ViewSource>();

/**
 * Returns the record with all money in the reporting asset. A price in another quote asset is multiplied by the newest close of its
 * conversion: at the time of a fill, and at the open and the close of a bar. Money is rounded half up. The record itself for a run with one
 * quote asset. The result is cached with the record.
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
  const shown = instruments.map((instrument, index) => rates[index]?.instrument(instrument) ?? instrument);
  const execution = new Set(executionFeeds(feeds));
  const converted = feeds.map((feed): FeedRecord => {
    const index = instruments.findIndex(({ id }) => id === feed.bars.instrument.id);
    const own = rates[index] ?? null;
    return own === null || !execution.has(feed) ? feed : { ...feed, bars: barsIn(feed.bars, own, shown[index]!) };
  });
  const marks = converted.filter((feed) => feed.execution);
  const markTicks = instruments.map(({ id }, index) => {
    const own = rates[index] ?? null;
    const bars = marks.find((feed) => feed.bars.instrument.id === id)?.bars;
    return own === null || bars === undefined
      ? null
      : marksOf(feeds.find((feed) => feed.execution && feed.bars.instrument.id === id)!.bars, own, toMs);
  });
  return {
    ...record,
    instruments: shown,
    feeds: converted,
    fills: fillsIn(record.fills, rates),
    ...(record.orders === undefined ? {} : { orders: ordersIn(record.orders, rates, toMs) }),
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
  at(ms: number): number {
    const row = countUpTo(this.#bars.closeMs, this.#bars.length, ms) - 1;
    return row < 0 ? this.#startTicks : this.#ticks(this.#bars.close[row]!);
  }
  /** Returns the value of one unit at a time, not rounded. */
  unitValue(ms: number): number {
    return this.#conversion.unitValue(this.at(ms));
  }
  /** Returns units of the quote asset at a time in units of the reporting asset, rounded half up. */
  value(units: number, ms: number): number {
    return this.#conversion.value(units, this.at(ms));
  }
  /** Returns an instrument with prices in the reporting asset. Its digits are the sum of both, so that a product of two prices is whole. */
  instrument(own: Instrument): Instrument {
    return { ...own, quote: this.#reporting, priceDigits: own.priceDigits + this.digits };
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
function barsIn(bars: BarColumns, rates: Rates, instrument: Instrument): BarColumns {
  const { length, openMs, closeMs } = bars;
  const own = pow10(bars.instrument.priceDigits);
  const scale = pow10(instrument.priceDigits);
  const column = () => new Float64Array(length);
  const open = column();
  const high = column();
  const low = column();
  const close = column();
  const price = (value: number, rate: number): number => (Math.round(value * own) * rate) / scale;
  for (let row = 0; row < length; row++) {
    const before = rates.at(openMs[row]!);
    const after = rates.at(closeMs[row]!);
    open[row] = price(bars.open[row]!, before);
    close[row] = price(bars.close[row]!, after);
    // Inside the bar its own price moves, and the rate of its open is the newest one.
    high[row] = Math.max(price(bars.high[row]!, before), close[row]!);
    low[row] = Math.min(price(bars.low[row]!, before), close[row]!);
  }
  return { ...bars, instrument, open, high, low, close };
}

/** Returns the marks of a position in ticks: the closes, and for the last one in the run the newest rate of its end. */
function marksOf(bars: BarColumns, rates: Rates, toMs: number): Float64Array {
  const own = pow10(bars.instrument.priceDigits);
  const last = countUpTo(bars.closeMs, bars.length, toMs) - 1;
  return Float64Array.from({ length: bars.length }, (_, row) =>
    row < last ? Math.round(bars.close[row]! * own) * rates.at(bars.closeMs[row]!) : Math.round(bars.close[row]! * own) * rates.at(toMs),
  );
}

/** Returns fills with their prices and money converted at the time of each fill. */
function fillsIn(fills: FillColumns, rates: readonly (Rates | null)[]): FillColumns {
  const price = fills.price.slice();
  const notional = fills.notional.slice();
  const fee = fills.fee.slice();
  for (let row = 0; row < fills.length; row++) {
    const own = rates[fills.instrument[row]!] ?? null;
    if (own === null) continue;
    const ms = fills.timeMs[row]!;
    price[row] = price[row]! * own.at(ms);
    notional[row] = own.value(notional[row]!, ms);
    if (fills.feeInBase[row] === 0) fee[row] = own.value(fee[row]!, ms);
  }
  return { ...fills, price, notional, fee };
}

/** The limits and triggers, at the rate of the order's end. */
function ordersIn(orders: OrderColumns, rates: readonly (Rates | null)[], toMs: number): OrderColumns {
  const limit = orders.limit.slice();
  for (let row = 0; row < orders.length; row++) {
    const own = rates[orders.instrument[row]!] ?? null;
    if (own !== null) limit[row] = limit[row]! * own.at(Number.isNaN(orders.doneMs[row]!) ? toMs : orders.doneMs[row]!);
  }
  return { ...orders, limit };
}
