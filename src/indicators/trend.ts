// Trend indicators by Wilder: average true range and directional movement.

import type { TickColumn } from '../model/bars/bars.ts';
import type { FeedSeries, Series } from './graph/series.ts';
import { checkWhole, groupSpec, operand, seriesSpec, type IndicatorSpec, type Kernel } from './graph/spec.ts';
import { onOneScale, type ScaledColumns } from './sums.ts';
import type { IndicatorColumn, NumberWindow } from './graph/window.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/**
 * Returns the average true range in the quote asset: the mean of the first `bars` true ranges, then Wilder's smoothing. A true range needs
 * the previous close, so the second bar has the first true range.
 * J. W. Wilder, New Concepts in Technical Trading Systems (1978).
 */
export function atr(feed: FeedSeries, bars: number): IndicatorSpec<Series> {
  checkWhole('atr', 'bars', bars, 1);
  return seriesSpec({
    name: 'atr',
    sources: [feed.high, feed.low, feed.close].map(operand),
    parameters: [bars],
    needs: { '': bars + 1 },
    makeKernel: (wiring) => new AverageTrueRange(onOneScale(wiring, 3), wiring.out(0), bars),
  });
}

/** The outputs of the average directional index. */
export interface DirectionalMovement {
  /** Strength of the trend, 0 to 100, in either direction. */
  readonly adx: Series;
  /** Upward movement as a share of the true range, 0 to 100. */
  readonly plusDi: Series;
  /** Downward movement as a share of the true range, 0 to 100. */
  readonly minusDi: Series;
}

/**
 * Returns the average directional index with its two directional indicators, all smoothed by Wilder's method over `bars` bars. Without any
 * movement the index is 0.
 * J. W. Wilder, New Concepts in Technical Trading Systems (1978).
 */
export function adx(feed: FeedSeries, bars: number): IndicatorSpec<DirectionalMovement> {
  checkWhole('adx', 'bars', bars, 1);
  return groupSpec(
    {
      name: 'adx',
      sources: [feed.high, feed.low, feed.close].map(operand),
      parameters: [bars],
      needs: { '': 2 * bars, '.plusDi': bars + 1, '.minusDi': bars + 1 },
      makeKernel: (wiring) => new DirectionalIndex(onOneScale(wiring, 3), [wiring.out(0), wiring.out(1), wiring.out(2)], bars),
    },
    (outputs) => ({ adx: outputs.series(0), plusDi: outputs.series(1), minusDi: outputs.series(2) }),
  );
}

/** Computes the average true range, in ticks if the feed has them, because small ranges are then exact at any price. */
class AverageTrueRange implements Kernel {
  readonly #high: IndicatorColumn<TickColumn>;
  readonly #low: IndicatorColumn<TickColumn>;
  readonly #close: IndicatorColumn<TickColumn>;
  readonly #scale: number;
  readonly #out: NumberWindow;
  readonly #bars: number;
  #lastClose = NAN;
  /** The smoothed true range. While `count` < `bars`, the sum of the true ranges. */
  #smoothedRange = 0;
  #count = 0;

  constructor({ columns, scale }: ScaledColumns, out: NumberWindow, bars: number) {
    this.#high = columns[0]!;
    this.#low = columns[1]!;
    this.#close = columns[2]!;
    this.#scale = scale;
    this.#out = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: high, base: highBase } = this.#high;
    const { values: low, base: lowBase } = this.#low;
    const { values: close, base: closeBase } = this.#close;
    const { values, base } = this.#out;
    const bars = this.#bars;
    const scale = this.#scale;
    let lastClose = this.#lastClose;
    let smoothedRange = this.#smoothedRange;
    let count = this.#count;
    for (let row = fromRow; row < toRow; row++) {
      const barHigh = high[row - highBase]!;
      const barLow = low[row - lowBase]!;
      const trueRange = (barHigh > lastClose ? barHigh : lastClose) - (barLow < lastClose ? barLow : lastClose);
      lastClose = close[row - closeBase]!;
      if (trueRange !== trueRange) {
        smoothedRange = 0;
        count = 0;
      } else if (count === bars) {
        smoothedRange += (trueRange - smoothedRange) / bars;
      } else {
        smoothedRange += trueRange;
        if (++count === bars) smoothedRange /= bars;
      }
      values[row - base] = count < bars ? NAN : smoothedRange / scale;
    }
    this.#lastClose = lastClose;
    this.#smoothedRange = smoothedRange;
    this.#count = count;
  }
}

/** Computes the average directional index and its directional indicators. */
class DirectionalIndex implements Kernel {
  readonly #high: IndicatorColumn<TickColumn>;
  readonly #low: IndicatorColumn<TickColumn>;
  readonly #close: IndicatorColumn<TickColumn>;
  readonly #adx: NumberWindow;
  readonly #plusDi: NumberWindow;
  readonly #minusDi: NumberWindow;
  readonly #bars: number;
  #lastHigh = NAN;
  #lastLow = NAN;
  #lastClose = NAN;
  /** Wilder's sums of the true range, the upward and the downward movement, smoothed once there are `bars` moves. */
  #rangeSum = 0;
  #upSum = 0;
  #downSum = 0;
  #moveCount = 0;
  /** The average of the directional indices. While `indexCount` < `bars`, their sum. */
  #averageIndex = 0;
  #indexCount = 0;

  constructor({ columns }: ScaledColumns, out: readonly [NumberWindow, NumberWindow, NumberWindow], bars: number) {
    this.#high = columns[0]!;
    this.#low = columns[1]!;
    this.#close = columns[2]!;
    [this.#adx, this.#plusDi, this.#minusDi] = out;
    this.#bars = bars;
  }

  fill(fromRow: number, toRow: number): void {
    const { values: high, base: highBase } = this.#high;
    const { values: low, base: lowBase } = this.#low;
    const { values: close, base: closeBase } = this.#close;
    for (let row = fromRow; row < toRow; row++) {
      this.#step(high[row - highBase]!, low[row - lowBase]!, close[row - closeBase]!);
      const hasAllMoves = this.#moveCount >= this.#bars;
      this.#plusDi.values[row - this.#plusDi.base] = hasAllMoves ? percentOf(this.#upSum, this.#rangeSum) : NAN;
      this.#minusDi.values[row - this.#minusDi.base] = hasAllMoves ? percentOf(this.#downSum, this.#rangeSum) : NAN;
      this.#adx.values[row - this.#adx.base] = this.#indexCount === this.#bars ? this.#averageIndex : NAN;
    }
  }

  /** Adds one row to the smoothed range and movements. NaN starts them again. */
  #step(high: number, low: number, close: number): void {
    const bars = this.#bars;
    const upMove = high - this.#lastHigh;
    const downMove = this.#lastLow - low;
    const trueRange = Math.max(high, this.#lastClose) - Math.min(low, this.#lastClose);
    this.#lastHigh = high;
    this.#lastLow = low;
    this.#lastClose = close;
    if (trueRange !== trueRange || upMove !== upMove || downMove !== downMove) {
      this.#rangeSum = this.#upSum = this.#downSum = this.#moveCount = this.#averageIndex = this.#indexCount = 0;
      return;
    }
    const smooth = this.#moveCount < bars ? 1 : 1 - 1 / bars;
    this.#rangeSum = this.#rangeSum * smooth + trueRange;
    this.#upSum = this.#upSum * smooth + (upMove > downMove && upMove > 0 ? upMove : 0);
    this.#downSum = this.#downSum * smooth + (downMove > upMove && downMove > 0 ? downMove : 0);
    if (this.#moveCount < bars) this.#moveCount++;
    if (this.#moveCount === bars) this.#addIndex();
  }

  /** Adds the directional index of the row to the average. */
  #addIndex(): void {
    const bars = this.#bars;
    const index = percentOf(Math.abs(this.#upSum - this.#downSum), this.#upSum + this.#downSum);
    if (this.#indexCount === bars) {
      this.#averageIndex += (index - this.#averageIndex) / bars;
    } else {
      this.#averageIndex += index;
      if (++this.#indexCount === bars) this.#averageIndex /= bars;
    }
  }
}

/** Returns `part` as a percentage of `whole`. 0 when `whole` is 0. */
function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : (100 * part) / whole;
}
