// Bars as columns of typed arrays: no object per bar, prices also as whole ticks on demand.

import { InvariantError } from '../base/errors.ts';
import { pow10 } from '../base/exact.ts';
import type { Instrument } from './instrument.ts';
import type { Interval } from './interval.ts';

export type PriceColumn = 'open' | 'high' | 'low' | 'close';

/** Columns of one length, oldest first; no two share memory. Times are ms UTC; `closeMs` is the end of a bar, exclusive. */
export interface BarColumns {
  readonly instrument: Instrument;
  readonly interval: Interval;
  readonly length: number;
  readonly openMs: Float64Array;
  readonly closeMs: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  /** In the base asset. */
  readonly volume: Float64Array;
}

export type TickColumn = Int32Array | Float64Array;
const made = new WeakMap<BarColumns, Partial<Record<PriceColumn, TickColumn>>>();

/**
 * A price column in whole ticks (10^-priceDigits), made on first demand and kept: Int32 where it fits, else float64.
 * Throws InvariantError at a price that is no whole number of ticks: the import is the place that refuses or rounds such a file.
 */
export function ticksOf(bars: BarColumns, price: PriceColumn): TickColumn {
  let columns = made.get(bars);
  if (!columns) made.set(bars, (columns = {}));
  return (columns[price] ??= toTicks(bars[price], bars, price));
}

function toTicks(prices: Float64Array, bars: BarColumns, name: PriceColumn): TickColumn {
  const scale = pow10(bars.instrument.priceDigits);
  let most = 0;
  for (let i = 0; i < prices.length; i++) if (prices[i]! > most) most = prices[i]!;
  const out = most * scale < 2 ** 31 ? new Int32Array(prices.length) : new Float64Array(prices.length);
  for (let i = 0; i < prices.length; i++) {
    const whole = Math.round(prices[i]! * scale);
    // The nearest double of a decimal price divides back to itself; anything else is finer than a tick.
    if (whole / scale !== prices[i]!) throw new InvariantError(`${bars.instrument.id} ${name}[${i}] = ${prices[i]} is finer than 10^-${bars.instrument.priceDigits}`);
    out[i] = whole;
  }
  return out;
}
