// Klines of every interval and the rolling 24 hours, built from the trades of one instrument as they happen.

import { closeOf, INTERVALS, nests, openOf, type CommonInterval, type Interval } from '../../model/interval.ts';

/** A bar in whole numbers: ticks and lots. */
export interface TickBar {
  readonly openMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly lots: number;
}

/** A kline that trades still change. */
interface GrowingBar {
  openMs: number;
  open: number;
  high: number;
  low: number;
  close: number;
  lots: number;
}

/** Kept klines: more than any reply has. For minutes, one day and its edges. */
const MAX_KLINES: Readonly<Record<CommonInterval, number>> = {
  '1m': 1500,
  '5m': 320,
  '15m': 320,
  '30m': 320,
  '1h': 320,
  '4h': 320,
  '1d': 320,
  '1w': 320,
  '1M': 320,
};
const DAY_MS = 86_400_000;

/** High, low and volume of the last 24 hours, with a resolution of one minute. */
export interface RollingDay {
  readonly fromMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly last: number;
  readonly lots: number;
}

/** The klines of one instrument. */
export class Klines {
  readonly #bars: Record<CommonInterval, GrowingBar[]> = {
    '1m': [],
    '5m': [],
    '15m': [],
    '30m': [],
    '1h': [],
    '4h': [],
    '1d': [],
    '1w': [],
    '1M': [],
  };

  /**
   * End of the last kline, ms UTC; 0 if it was not computed yet. Computing the bounds of a month is expensive, and almost every trade is in
   * the last kline.
   */
  readonly #endMs: Record<CommonInterval, number> = { '1m': 0, '5m': 0, '15m': 0, '30m': 0, '1h': 0, '4h': 0, '1d': 0, '1w': 0, '1M': 0 };

  /** Interval of the bars that `addClosedBar` receives. Null: klines are built from trades. */
  #barInterval: CommonInterval | null = null;

  /** Adds a trade. Times must not decrease. */
  addTrade(timeMs: number, price: number, lots: number): void {
    for (const interval of INTERVALS) {
      const bar = this.#roll(interval, timeMs, price);
      if (price > bar.high) bar.high = price;
      if (price < bar.low) bar.low = price;
      bar.close = price;
      bar.lots += lots;
    }
  }

  /**
   * Adds a closed bar, in a market that has bars and no trades. Longer klines are built from it; shorter ones do not exist. Gaps between
   * bars are not filled.
   */
  addClosedBar(interval: Interval, bar: TickBar): void {
    for (const longer of INTERVALS) {
      if (longer !== interval && !nests(interval, longer)) continue;
      this.#barInterval ??= longer;
      const bars = this.#bars[longer];
      this.#endMs[longer] = 0;
      const openMs = openOf(longer, bar.openMs);
      const lastBar = bars.at(-1);
      if (lastBar?.openMs !== openMs) {
        bars.push({ ...bar, openMs });
        trim(bars, longer);
        continue;
      }
      lastBar.high = Math.max(lastBar.high, bar.high);
      lastBar.low = Math.min(lastBar.low, bar.low);
      lastBar.close = bar.close;
      lastBar.lots += bar.lots;
    }
  }

  /** Replaces all klines of an interval by those of an earlier process. */
  restore(interval: CommonInterval, bars: readonly TickBar[]): void {
    this.#endMs[interval] = 0;
    this.#bars[interval] = bars.map((bar) => ({ ...bar }));
  }

  /** Updates a minute to its final state. Longer klines gain the lots that were not known before. */
  replaceMinute(minute: TickBar): void {
    const knownLots = this.#bars['1m'].findLast(({ openMs }) => openMs === minute.openMs)?.lots ?? 0;
    for (const interval of INTERVALS) {
      const bar = this.#roll(interval, minute.openMs, minute.open);
      bar.high = Math.max(bar.high, minute.high);
      bar.low = Math.min(bar.low, minute.low);
      bar.close = minute.close;
      bar.lots += minute.lots - knownLots;
    }
  }

  /** Returns klines up to `nowMs`, oldest first, the running one last. Minutes without a trade are flat. */
  bars(interval: CommonInterval, nowMs: number): readonly TickBar[] {
    const lastBar = this.#bars[interval].at(-1);
    if (lastBar !== undefined && this.#barInterval === null) this.#roll(interval, nowMs, lastBar.close);
    return this.#bars[interval];
  }

  /** Returns the 24 hours up to `nowMs`; null before the first trade. */
  rollingDay(nowMs: number): RollingDay | null {
    const bars = this.bars(this.#barInterval ?? '1m', nowMs);
    const fromMs = nowMs - DAY_MS;
    let index = bars.length - 1;
    const lastBar = bars[index];
    if (lastBar === undefined) return null;
    let high = lastBar.high;
    let low = lastBar.low;
    let lots = lastBar.lots;
    let open = lastBar.open;
    while (--index >= 0 && bars[index]!.openMs >= fromMs) {
      const bar = bars[index]!;
      if (bar.high > high) high = bar.high;
      if (bar.low < low) low = bar.low;
      lots += bar.lots;
      open = bar.open;
    }
    return { fromMs, open, high, low, last: lastBar.close, lots };
  }

  /** Returns the kline that contains `timeMs`. Flat klines fill the time since the last one. */
  #roll(interval: CommonInterval, timeMs: number, price: number): GrowingBar {
    const bars = this.#bars[interval];
    if (timeMs < this.#endMs[interval]) return bars.at(-1)!;
    const openMs = openOf(interval, timeMs);
    let lastBar = bars.at(-1);
    if (lastBar === undefined) {
      lastBar = flatBar(openMs, price);
      bars.push(lastBar);
    }
    const { close } = lastBar;
    // After a gap longer than all kept klines, only the end of the gap is filled.
    const firstMs = openOf(interval, openMs - MAX_KLINES[interval] * (closeOf(interval, lastBar.openMs) - lastBar.openMs));
    if (lastBar.openMs < firstMs) {
      lastBar = flatBar(firstMs, close);
      bars.splice(0, Infinity, lastBar);
    }
    while (lastBar.openMs < openMs) {
      const nextMs = closeOf(interval, lastBar.openMs);
      lastBar = flatBar(nextMs, nextMs === openMs ? price : close);
      bars.push(lastBar);
      trim(bars, interval);
    }
    this.#endMs[interval] = closeOf(interval, lastBar.openMs);
    return lastBar;
  }
}

const flatBar = (openMs: number, price: number): GrowingBar => ({ openMs, open: price, high: price, low: price, close: price, lots: 0 });

/** Klines are removed when there are this many times the maximum, because each removal shifts all others. */
const TRIM_FACTOR = 1.25;

/** Removes the oldest klines of an interval if there are too many. */
function trim(bars: GrowingBar[], interval: CommonInterval): void {
  if (bars.length > MAX_KLINES[interval] * TRIM_FACTOR) bars.splice(0, bars.length - MAX_KLINES[interval]);
}
