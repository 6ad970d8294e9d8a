// The bars of a live feed, to which rows are appended in place, so that readers keep their arrays.

import { InvariantError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import { extendTicks, type BarColumns } from './bars.ts';
import type { Instrument } from '../instrument.ts';
import { closeOf, type Interval } from '../interval.ts';
import { isTradeBars } from '../tradeBars.ts';

/** One bar that opens at `openMs`, ms UTC. */
export interface BarRow {
  readonly openMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  /** End of a bar from trades, ms UTC. Other bars end where their interval does. */
  readonly closeMs?: number;
}

/** Default capacity in rows, two years of minutes. The system allocates memory when it is written, so unused capacity costs nothing. */
export const DEFAULT_CAPACITY_ROWS = 2 ** 20;

/** Bar columns with spare capacity. */
export class GrowingBars implements BarColumns {
  readonly instrument: Instrument;
  readonly interval: Interval;
  readonly openMs: Float64Array;
  readonly closeMs: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  readonly volume: Float64Array;
  /** Maximum number of rows. */
  readonly capacityRows: number;
  #length = 0;

  constructor(instrument: Instrument, interval: Interval, capacityRows: number = DEFAULT_CAPACITY_ROWS) {
    this.instrument = instrument;
    this.interval = interval;
    this.capacityRows = capacityRows;
    const column = () => new Float64Array(capacityRows);
    this.openMs = column();
    this.closeMs = column();
    this.open = column();
    this.high = column();
    this.low = column();
    this.close = column();
    this.volume = column();
  }

  get length(): number {
    return this.#length;
  }
  /** Close time of the newest bar, ms UTC. -Infinity before the first. */
  get lastCloseMs(): number {
    return this.#length === 0 ? -Infinity : this.closeMs[this.#length - 1]!;
  }

  /** True when every price of the bar is a whole number of ticks. `append` rejects other bars. */
  hasWholeTicks({ open, high, low, close }: BarRow): boolean {
    const scale = pow10(this.instrument.priceDigits);
    return [open, high, low, close].every((price) => Math.round(price * scale) / scale === price);
  }

  /** Appends a bar. Throws InvariantError for a bar that is not later than the newest or has a price finer than a tick, and without capacity. */
  append(bar: BarRow): void {
    const row = this.#length;
    const { instrument, interval, capacityRows } = this;
    if (row === capacityRows) throw new InvariantError(`${instrument.id} ${interval}: no room for more than ${capacityRows} bars`);
    if (bar.openMs < this.lastCloseMs)
      throw new InvariantError(`${instrument.id} ${interval}: a bar of ${bar.openMs} after ${this.lastCloseMs}`);
    if (!this.hasWholeTicks(bar))
      throw new InvariantError(`${instrument.id} ${interval}: the bar of ${bar.openMs} has prices finer than a tick`);
    this.openMs[row] = bar.openMs;
    this.closeMs[row] = isTradeBars(interval) && bar.closeMs !== undefined ? bar.closeMs : closeOf(interval, bar.openMs);
    this.open[row] = bar.open;
    this.high[row] = bar.high;
    this.low[row] = bar.low;
    this.close[row] = bar.close;
    this.volume[row] = bar.volume;
    this.#length = row + 1;
    extendTicks(this, row);
  }

  /** Appends all rows of other bars of the same instrument and interval. */
  appendAll(bars: BarColumns): void {
    const { openMs, closeMs, open, high, low, close, volume } = bars;
    for (let row = 0; row < bars.length; row++) {
      this.append({
        openMs: openMs[row]!,
        closeMs: closeMs[row]!,
        open: open[row]!,
        high: high[row]!,
        low: low[row]!,
        close: close[row]!,
        volume: volume[row]!,
      });
    }
  }
}
