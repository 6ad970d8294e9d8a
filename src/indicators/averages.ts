// Moving averages: simple, exponential, linearly weighted, and volume-weighted.

import { ROW_MASK as MASK } from '../base/number/exact.ts';
import type { TickColumn } from '../model/bars/bars.ts';
import type { FeedSeries, Series } from './graph/series.ts';
import { checkWhole, operand, seriesSpec, type IndicatorSpec, type Kernel, type ScaledColumn, type Source } from './graph/spec.ts';
import { checkExactSum, CompensatedSum, onOneScale, type ScaledColumns } from './sums.ts';
import type { IndicatorColumn, NumberWindow } from './graph/window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

// hot: docs/performance.md#imported-constants
const ROW_MASK = MASK;

/**
 * Returns the simple moving average over `bars` bars (from 1).
 * Over a price it is the exact sum of whole ticks, divided once, so that equal averages are equal numbers. Over any other source the sum
 * is compensated, and a NaN restarts the warm-up.
 */
export function sma(source: Source, bars: number): IndicatorSpec<Series> {
  checkWhole('sma', 'bars', bars, 1);
  return seriesSpec({
    name: 'sma',
    sources: [operand(source)],
    parameters: [bars],
    lookBack: bars,
    needs: { '': bars },
    makeKernel(wiring) {
      const scaled = wiring.scaled(0);
      return scaled.isWhole ? new TickMean(scaled, wiring.out(0), bars) : new FloatMean(wiring.numbers(0), wiring.out(0), bars);
    },
  });
}

/** Returns the exponential moving average with weight 2 / (bars + 1). Its first value is the simple average of the first `bars` values. */
export function ema(source: Source, bars: number): IndicatorSpec<Series> {
  checkWhole('ema', 'bars', bars, 1);
  return seriesSpec({
    name: 'ema',
    sources: [operand(source)],
    parameters: [bars],
    needs: { '': bars },
    makeKernel: (wiring) => new ExponentialMean(wiring.numbers(0), wiring.out(0), bars),
  });
}

/**
 * Returns the linearly weighted moving average: the newest value has weight `bars`, the oldest has weight 1. It is exact over prices, like
 * `sma`.
 */
export function wma(source: Source, bars: number): IndicatorSpec<Series> {
  checkWhole('wma', 'bars', bars, 1, 1_000_000);
  return seriesSpec({
    name: 'wma',
    sources: [operand(source)],
    parameters: [bars],
    lookBack: bars,
    needs: { '': bars },
    makeKernel(wiring) {
      const scaled = wiring.scaled(0);
      return scaled.isWhole
        ? new TickWeightedMean(scaled, wiring.out(0), bars)
        : new FloatWeightedMean(wiring.numbers(0), wiring.out(0), bars);
    },
  });
}

/**
 * Returns the volume-weighted average of the typical price (high + low + close) / 3 over the last `bars` bars. NaN when the window has no
 * volume.
 */
export function vwap(feed: FeedSeries, bars: number): IndicatorSpec<Series> {
  checkWhole('vwap', 'bars', bars, 1);
  return seriesSpec({
    name: 'vwap',
    sources: [feed.high, feed.low, feed.close, feed.volume].map(operand),
    parameters: [bars],
    lookBack: bars,
    needs: { '': bars },
    makeKernel: (wiring) => new VolumeMean(onOneScale(wiring, 3), wiring.numbers(3), wiring.out(0), bars),
  });
}

/** Simple moving average of whole ticks. Adds the newest value to a running sum and subtracts the oldest. */
class TickMean implements Kernel {
  readonly #source: IndicatorColumn<TickColumn>;
  readonly #out: NumberWindow;
  readonly #bars: number;
  #sum = 0;

  constructor(source: ScaledColumn, out: NumberWindow, bars: number) {
    out.holdSums(bars * source.scale, checkExactSum(`sma over ${bars} bars`, source, bars));
    this.#source = source.column;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: ticks, base: ticksBase } = this.#source;
    const { values, base } = this.#out;
    const bars = this.#bars;
    let sum = this.#sum;
    let row = fromRow;
    for (; row < toRow && row < bars; row++) {
      sum += ticks[row - ticksBase]!;
      values[row - base] = row === bars - 1 ? sum : NAN;
    }
    // Whole numbers can be added in any order.
    // hot: docs/performance.md#full-turns
    const lastTurn = Math.min(toRow, ROW_MASK) - 7;
    for (; row < lastTurn; row += 8) {
      const newRow = (row - ticksBase) & ROW_MASK;
      const oldRow = (row - ticksBase - bars) & ROW_MASK;
      const outIndex = (row - base) & ROW_MASK;
      // The changes of the sum by the first row of each of four pairs of rows, and by both rows of the pair.
      const first1 = ticks[newRow]! - ticks[oldRow]!;
      const both1 = first1 + (ticks[newRow + 1]! - ticks[oldRow + 1]!);
      const first2 = ticks[newRow + 2]! - ticks[oldRow + 2]!;
      const both2 = first2 + (ticks[newRow + 3]! - ticks[oldRow + 3]!);
      const first3 = ticks[newRow + 4]! - ticks[oldRow + 4]!;
      const both3 = first3 + (ticks[newRow + 5]! - ticks[oldRow + 5]!);
      const first4 = ticks[newRow + 6]! - ticks[oldRow + 6]!;
      const both4 = first4 + (ticks[newRow + 7]! - ticks[oldRow + 7]!);
      values[outIndex] = sum + first1;
      sum += both1;
      values[outIndex + 1] = sum;
      values[outIndex + 2] = sum + first2;
      sum += both2;
      values[outIndex + 3] = sum;
      values[outIndex + 4] = sum + first3;
      sum += both3;
      values[outIndex + 5] = sum;
      values[outIndex + 6] = sum + first4;
      sum += both4;
      values[outIndex + 7] = sum;
    }
    for (; row < toRow; row++) {
      sum += ticks[row - ticksBase]! - ticks[row - ticksBase - bars]!;
      values[row - base] = sum;
    }
    this.#sum = sum;
  }
}

/** Simple moving average of floats, with a compensated running sum. */
class FloatMean implements Kernel {
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #bars: number;
  /** The sum and its collected rounding errors (`CompensatedSum`), in an array: fields that change at every row are slower. */
  readonly #state = new Float64Array(2);
  #count = 0;

  constructor(source: IndicatorColumn<Float64Array>, out: NumberWindow, bars: number) {
    this.#source = source;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: sourceValues, base: sourceBase } = this.#source;
    const { values, base } = this.#out;
    const bars = this.#bars;
    let sum = this.#state[0]!;
    let roundingError = this.#state[1]!;
    let count = this.#count;
    for (let row = fromRow; row < toRow; row++) {
      const value = sourceValues[row - sourceBase]!;
      if (value !== value) {
        count = 0;
        sum = roundingError = 0;
      } else {
        let newSum = sum + value;
        let added = newSum - sum;
        roundingError += sum - (newSum - added) + (value - added);
        sum = newSum;
        if (count < bars) count++;
        else {
          const leaving = -sourceValues[row - bars - sourceBase]!;
          newSum = sum + leaving;
          added = newSum - sum;
          roundingError += sum - (newSum - added) + (leaving - added);
          sum = newSum;
        }
      }
      values[row - base] = count < bars ? NAN : (sum + roundingError) / bars;
    }
    this.#state[0] = sum;
    this.#state[1] = roundingError;
    this.#count = count;
  }
}

/** Exponential moving average. */
class ExponentialMean implements Kernel {
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #bars: number;
  /** Sum of the first values while `count` < bars, then the mean. */
  #mean = 0;
  #count = 0;

  constructor(source: IndicatorColumn<Float64Array>, out: NumberWindow, bars: number) {
    this.#source = source;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: sourceValues, base: sourceBase } = this.#source;
    const { values, base } = this.#out;
    const bars = this.#bars;
    const weight = 2 / (bars + 1);
    let mean = this.#mean;
    let count = this.#count;
    for (let row = fromRow; row < toRow; row++) {
      const value = sourceValues[row - sourceBase]!;
      if (value !== value) {
        count = 0;
        mean = 0;
      } else if (count === bars) {
        mean += weight * (value - mean);
      } else {
        mean += value;
        if (++count === bars) mean /= bars;
      }
      values[row - base] = count < bars ? NAN : mean;
    }
    this.#mean = mean;
    this.#count = count;
  }
}

/** Linearly weighted moving average of whole ticks, with running sums. */
class TickWeightedMean implements Kernel {
  readonly #source: IndicatorColumn<TickColumn>;
  readonly #out: NumberWindow;
  readonly #bars: number;
  /** The plain sum and the weighted sum of the window, in whole ticks. */
  #sum = 0;
  #weighted = 0;

  constructor(source: ScaledColumn, out: NumberWindow, bars: number) {
    const weights = (bars * (bars + 1)) / 2;
    out.holdSums(weights * source.scale, checkExactSum(`wma over ${bars} bars`, source, weights));
    this.#source = source.column;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: ticks, base: ticksBase } = this.#source;
    const { values, base } = this.#out;
    const bars = this.#bars;
    let sum = this.#sum;
    let weighted = this.#weighted;
    let row = fromRow;
    for (; row < toRow && row < bars; row++) {
      sum += ticks[row - ticksBase]!;
      weighted += (row + 1) * ticks[row - ticksBase]!;
      values[row - base] = row === bars - 1 ? weighted : NAN;
    }
    for (; row < toRow; row++) {
      // Subtracting the plain sum lowers the weight of each old value by one, which removes the oldest value.
      weighted += bars * ticks[row - ticksBase]! - sum;
      sum += ticks[row - ticksBase]! - ticks[row - ticksBase - bars]!;
      values[row - base] = weighted;
    }
    this.#sum = sum;
    this.#weighted = weighted;
  }
}

/**
 * Linearly weighted moving average of floats. It sums all values of each window, because a running weighted sum of floats would drift, and
 * one NaN would stay in it.
 */
class FloatWeightedMean implements Kernel {
  readonly #source: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #bars: number;

  constructor(source: IndicatorColumn<Float64Array>, out: NumberWindow, bars: number) {
    this.#source = source;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: sourceValues, base: sourceBase } = this.#source;
    const { values, base } = this.#out;
    const bars = this.#bars;
    const weights = (bars * (bars + 1)) / 2;
    for (let row = fromRow; row < toRow; row++) {
      if (row < bars - 1) {
        values[row - base] = NAN;
        continue;
      }
      const first = row - bars + 1 - sourceBase;
      let sum = 0;
      for (let i = 0; i < bars; i++) sum += (i + 1) * sourceValues[first + i]!;
      values[row - base] = sum / weights;
    }
  }
}

/** Volume-weighted average price. */
class VolumeMean implements Kernel {
  readonly #high: IndicatorColumn<TickColumn>;
  readonly #low: IndicatorColumn<TickColumn>;
  readonly #close: IndicatorColumn<TickColumn>;
  readonly #volume: IndicatorColumn<Float64Array>;
  readonly #out: NumberWindow;
  readonly #bars: number;
  readonly #divisor: number;
  readonly #turnoverSum = new CompensatedSum();
  readonly #volumeSum = new CompensatedSum();
  /** Number of rows with volume in the window. When it is 0, the sums are reset to remove their rounding errors. */
  #tradedRows = 0;

  constructor({ columns, scale }: ScaledColumns, volume: IndicatorColumn<Float64Array>, out: NumberWindow, bars: number) {
    this.#high = columns[0]!;
    this.#low = columns[1]!;
    this.#close = columns[2]!;
    this.#volume = volume;
    this.#out = out;
    this.#bars = bars;
    this.#divisor = 3 * scale;
  }

  fill(fromRow: number, toRow: number): void {
    const { values, base } = this.#out;
    const bars = this.#bars;
    for (let row = fromRow; row < toRow; row++) {
      this.#addRow(row, 1);
      if (row >= bars) this.#addRow(row - bars, -1);
      if (this.#tradedRows === 0) {
        this.#turnoverSum.reset();
        this.#volumeSum.reset();
      }
      values[row - base] = row < bars - 1 || this.#tradedRows === 0 ? NAN : this.#turnoverSum.value / this.#volumeSum.value / this.#divisor;
    }
  }

  /** Adds a row to the sums (1), or removes it again (-1). */
  #addRow(row: number, sign: 1 | -1): void {
    const volume = valueAt(this.#volume, row);
    if (volume === 0) return;
    const typical = valueAt(this.#high, row) + valueAt(this.#low, row) + valueAt(this.#close, row);
    this.#turnoverSum.add(sign * typical * volume);
    this.#volumeSum.add(sign * volume);
    this.#tradedRows += sign;
  }
}

/** Returns the value of a column in a row. */
function valueAt(column: IndicatorColumn<TickColumn>, row: number): number {
  return column.values[row - column.base]!;
}
