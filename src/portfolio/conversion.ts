// Values one asset in another one, by the newest close of the instrument that trades the first against the second.

import * as numbers from '../base/number/exact.ts';
import type { Instrument } from '../model/instrument.ts';
import { InstrumentScale, quoteValueAt, valueDownAt, valueUpAt, type Factor } from './scale.ts';

// hot: docs/performance.md#imported-constants
const { mulDiv, MAX_EXACT } = numbers;
// hot: docs/performance.md#file-constants
const NAN = NaN;

/** The conversion of a quote asset into the reporting asset of a run. Prices are in ticks of the conversion instrument. */
export class Conversion {
  /** The quote asset that is converted. */
  readonly asset: string;
  /** Index of the conversion instrument in the run. */
  readonly index: number;
  /** How units and ticks become units of the reporting asset. */
  private readonly factor: Factor;
  /** The price before the first close: the last warm-up close, or else the first open. */
  private startTicks = NAN;

  constructor(instrument: Instrument, index: number) {
    this.asset = instrument.base;
    this.index = index;
    this.factor = new InstrumentScale(instrument).ofUnits;
  }

  /** Sets the price that counts until the first close. */
  begin(startTicks: number): void {
    this.startTicks = startTicks;
  }
  /** Returns the price that counts when the newest close is `ticks`; NaN means that no bar has closed. */
  ticksAt(ticks: number): number {
    return ticks > 0 ? ticks : this.startTicks;
  }

  /** Returns the value of one unit of the asset in units of the reporting asset, not rounded. */
  unitValue(ticks: number): number {
    return (this.ticksAt(ticks) * this.factor.times) / this.factor.by;
  }
  /** Returns the value of `units` of the asset in units of the reporting asset, rounded half up. */
  value(units: number, ticks: number): number {
    return quoteValueAt(units, this.ticksAt(ticks), this.factor);
  }
  /** Returns the value of `units` rounded down, for limits. Infinity and NaN stay. */
  valueDown(units: number, ticks: number): number {
    return Number.isFinite(units) ? valueDownAt(units, this.ticksAt(ticks), this.factor) : units;
  }
  /** Returns the value of `units` rounded up, for limits. Infinity and NaN stay. */
  valueUp(units: number, ticks: number): number {
    return Number.isFinite(units) ? valueUpAt(units, this.ticksAt(ticks), this.factor) : units;
  }
  /** Returns the units of the asset that `units` of the reporting asset are worth, rounded down; NaN if the result is invalid. */
  unitsFor(units: number, ticks: number): number {
    const { times, by } = this.factor;
    const divisor = this.ticksAt(ticks) * times;
    return divisor > 0 && (units / divisor) * by < MAX_EXACT ? mulDiv(units, by, divisor, 'down') : NAN;
  }
}
