// Indicators of whole bars: Heikin-Ashi, fractals, and the pivots of the previous day.

import type { FeedSeries, Series } from '../graph/series.ts';
import { checkWhole, groupSpec, operand, type IndicatorSpec, type Kernel } from '../graph/spec.ts';
import { steppedGroup } from '../graph/stepped.ts';
import type { IndicatorColumn, NumberWindow } from '../graph/window.ts';
import { RecentValues } from '../smoothing/running.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;
const DAY_MS = 86_400_000;

/** The prices of Heikin-Ashi bars. */
export interface HeikinAshi {
  readonly open: Series;
  readonly high: Series;
  readonly low: Series;
  readonly close: Series;
}

/**
 * Returns Heikin-Ashi bars. Their close is the mean of the four prices. Their open is the middle of the previous Heikin-Ashi body. The
 * first open is (open + close) / 2.
 */
export function heikinAshi(feed: FeedSeries): IndicatorSpec<HeikinAshi> {
  return steppedGroup({
    name: 'heikinAshi',
    sources: [feed.open, feed.high, feed.low, feed.close],
    outputs: { open: 1, high: 1, low: 1, close: 1 },
    start() {
      let [lastOpen, lastClose] = [NAN, NAN];
      return ([open, high, low, close], out) => {
        const haClose = (open! + high! + low! + close!) / 4;
        const haOpen = lastOpen === lastOpen ? (lastOpen + lastClose) / 2 : (open! + close!) / 2;
        out[0] = haOpen;
        out[1] = Math.max(high!, haOpen, haClose);
        out[2] = Math.min(low!, haOpen, haClose);
        out[3] = haClose;
        [lastOpen, lastClose] = [haOpen, haClose];
      };
    },
  });
}

/** The prices of the newest fractals. */
export interface Fractals {
  /** The high of the newest confirmed upward fractal. */
  readonly up: Series;
  /** The low of the newest confirmed downward fractal. */
  readonly down: Series;
}

/**
 * Returns Williams' fractals: a high above the highs of the `wing` bars on both sides, and a low below their lows. A fractal is confirmed
 * `wing` bars after its bar, and the series change only then.
 * B. Williams (1995).
 */
export function fractals(feed: FeedSeries, wing = 2): IndicatorSpec<Fractals> {
  checkWhole('fractals', 'wing', wing, 1, 100_000);
  const bars = 2 * wing + 1;
  return steppedGroup({
    name: 'fractals',
    sources: [feed.high, feed.low],
    parameters: [wing],
    outputs: { up: bars, down: bars },
    start() {
      const highs = new RecentValues(bars);
      const lows = new RecentValues(bars);
      let [up, down] = [NAN, NAN];
      const isExtreme = (recent: RecentValues, sign: 1 | -1) => {
        const middle = recent.ago(wing);
        for (let i = 0; i < bars; i++) if (i !== wing && sign * (recent.ago(i) - middle) >= 0) return false;
        return true;
      };
      return ([high, low], out) => {
        highs.push(high!);
        lows.push(low!);
        if (!highs.isFull) return;
        if (isExtreme(highs, 1)) up = highs.ago(wing);
        if (isExtreme(lows, -1)) down = lows.ago(wing);
        out[0] = up;
        out[1] = down;
      };
    },
  });
}

/** The pivot of the previous day, three levels of resistance above it (r1 to r3), and three levels of support below it (s1 to s3). */
export interface Pivots {
  readonly pivot: Series;
  readonly r1: Series;
  readonly r2: Series;
  readonly r3: Series;
  readonly s1: Series;
  readonly s2: Series;
  readonly s3: Series;
}

/** Returns the floor pivots from high, low and close of the previous UTC day. NaN until one day is complete. */
export function pivots(feed: FeedSeries): IndicatorSpec<Pivots> {
  const names = ['pivot', 'r1', 'r2', 'r3', 's1', 's2', 's3'] as const;
  return groupSpec(
    {
      name: 'pivots',
      sources: [feed.high, feed.low, feed.close].map(operand),
      needs: Object.fromEntries(names.map((name) => [`.${name}`, 1])),
      makeKernel: (wiring) =>
        new DailyPivots(
          [0, 1, 2].map((source) => wiring.numbers(source)),
          wiring.openMs,
          names.map((_, output) => wiring.out(output)),
        ),
    },
    (node) => {
      const [pivot, r1, r2, r3, s1, s2, s3] = names.map((_, output) => node.series(output)) as [
        Series, Series, Series, Series, Series, Series, Series,
      ]; // prettier-ignore
      return { pivot, r1, r2, r3, s1, s2, s3 };
    },
  );
}

/** Collects the high, low and close of a UTC day, and computes the pivots at the start of the next day. */
class DailyPivots implements Kernel {
  readonly #columns: readonly IndicatorColumn<Float64Array>[];
  readonly #openMs: Float64Array;
  readonly #windows: readonly NumberWindow[];
  readonly #levels = new Float64Array(7).fill(NAN);
  #day = NAN;
  #high = NAN;
  #low = NAN;
  #close = NAN;

  constructor(columns: readonly IndicatorColumn<Float64Array>[], openMs: Float64Array, windows: readonly NumberWindow[]) {
    this.#columns = columns;
    this.#openMs = openMs;
    this.#windows = windows;
  }

  fill(fromRow: number, toRow: number): void {
    for (let row = fromRow; row < toRow; row++) {
      const [high, low, close] = this.#columns.map(({ values, base }) => values[row - base]!) as [number, number, number];
      const day = Math.floor(this.#openMs[row]! / DAY_MS);
      if (day !== this.#day) {
        this.#endDay();
        [this.#day, this.#high, this.#low] = [day, high, low];
      }
      this.#high = Math.max(this.#high, high);
      this.#low = Math.min(this.#low, low);
      this.#close = close;
      this.#windows.forEach((window, output) => {
        window.values[row - window.base] = this.#levels[output]!;
      });
    }
  }

  /** Computes the levels of the next day from the high, low and close of the day that ends. */
  #endDay(): void {
    const [high, low] = [this.#high, this.#low];
    const pivot = (high + low + this.#close) / 3;
    this.#levels.set([
      pivot,
      2 * pivot - low,
      pivot + (high - low),
      high + 2 * (pivot - low),
      2 * pivot - high,
      pivot - (high - low),
      low - 2 * (high - pivot),
    ]);
  }
}
