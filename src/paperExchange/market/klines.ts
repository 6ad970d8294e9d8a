// Bars of every interval and the rolling day, made of the trades of one instrument as they happen.

import { closeOf, INTERVALS, openOf, type Interval } from '../../model/interval.ts';

/** A bar in whole numbers: ticks and lots. */
export interface TickBar {
  readonly openMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly lots: number;
}

interface Growing {
  openMs: number;
  open: number;
  high: number;
  low: number;
  close: number;
  lots: number;
}

/** More than any answer has; of minutes, a day and what its edges need. */
const MAX_KLINES: Readonly<Record<Interval, number>> = {
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

/** High, low and volume of 24 hours, to the minute. */
export interface RollingDay {
  readonly fromMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly last: number;
  readonly lots: number;
}

export class Klines {
  readonly #bars: Readonly<Record<Interval, Growing[]>> = {
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

  /** Where the last bar ends, 0 where it has not been asked: what opens a month at a time is dear, and almost every trade is in the last bar. */
  readonly #endMs: Record<Interval, number> = { '1m': 0, '5m': 0, '15m': 0, '30m': 0, '1h': 0, '4h': 0, '1d': 0, '1w': 0, '1M': 0 };

  /** The interval of the bars that are given; null: they are made of trades. */
  #given: Interval | null = null;

  /** A trade; times never go back. */
  print(timeMs: number, price: number, lots: number): void {
    for (const interval of INTERVALS) {
      const bar = this.#roll(interval, timeMs, price);
      if (price > bar.high) bar.high = price;
      if (price < bar.low) bar.low = price;
      bar.close = price;
      bar.lots += lots;
    }
  }

  /**
   * A bar that is over, where bars and not trades are what is known: longer ones are made of it, shorter ones there are none of. Nothing is
   * made up for what is missing between two of them.
   */
  close(interval: Interval, bar: TickBar): void {
    this.#given ??= interval;
    for (const each of INTERVALS.slice(INTERVALS.indexOf(interval))) {
      const bars = this.#bars[each];
      this.#endMs[each] = 0;
      const openMs = openOf(each, bar.openMs);
      const last = bars.at(-1);
      if (last?.openMs !== openMs) {
        bars.push({ ...bar, openMs });
        trim(bars, each);
        continue;
      }
      last.high = Math.max(last.high, bar.high);
      last.low = Math.min(last.low, bar.low);
      last.close = bar.close;
      last.lots += bar.lots;
    }
  }

  /** All bars of an interval, as they were when an exchange ended; in place of those that are there. */
  restore(interval: Interval, bars: readonly TickBar[]): void {
    this.#endMs[interval] = 0;
    this.#bars[interval].splice(0, Infinity, ...bars.map((bar) => ({ ...bar })));
  }

  /** A minute as it became: longer bars take in what it has beyond what is known of it. */
  replaceMinute(minute: TickBar): void {
    const known = this.#bars['1m'].findLast(({ openMs }) => openMs === minute.openMs)?.lots ?? 0;
    for (const interval of INTERVALS) {
      const bar = this.#roll(interval, minute.openMs, minute.open);
      bar.high = Math.max(bar.high, minute.high);
      bar.low = Math.min(bar.low, minute.low);
      bar.close = minute.close;
      bar.lots += minute.lots - known;
    }
  }

  /** Bars of an interval up to `nowMs`, oldest first, the running one last; minutes without a trade are flat. */
  bars(interval: Interval, nowMs: number): readonly TickBar[] {
    const last = this.#bars[interval].at(-1);
    if (last !== undefined && this.#given === null) this.#roll(interval, nowMs, last.close);
    return this.#bars[interval];
  }

  /** The 24 hours up to `nowMs`; null before the first trade. */
  day(nowMs: number): RollingDay | null {
    const bars = this.bars(this.#given ?? '1m', nowMs);
    const fromMs = nowMs - DAY_MS;
    let at = bars.length - 1;
    const last = bars[at];
    if (last === undefined) return null;
    let [high, low, lots, open] = [last.high, last.low, last.lots, last.open];
    while (--at >= 0 && bars[at]!.openMs >= fromMs) {
      const bar = bars[at]!;
      if (bar.high > high) high = bar.high;
      if (bar.low < low) low = bar.low;
      lots += bar.lots;
      open = bar.open;
    }
    return { fromMs, open, high, low, last: last.close, lots };
  }

  /** The bar that contains `timeMs`, after flat bars for what lies between it and the last one. */
  #roll(interval: Interval, timeMs: number, price: number): Growing {
    const bars = this.#bars[interval];
    if (timeMs < this.#endMs[interval]) return bars.at(-1)!;
    const openMs = openOf(interval, timeMs);
    let last = bars.at(-1);
    if (last === undefined) {
      last = flat(openMs, price);
      bars.push(last);
    }
    const { close } = last;
    // Of a time so long that no bar before it is kept, only the end is made.
    const from = openOf(interval, openMs - MAX_KLINES[interval] * (closeOf(interval, last.openMs) - last.openMs));
    if (last.openMs < from) {
      last = flat(from, close);
      bars.splice(0, Infinity, last);
    }
    while (last.openMs < openMs) {
      const next = closeOf(interval, last.openMs);
      last = flat(next, next === openMs ? price : close);
      bars.push(last);
      trim(bars, interval);
    }
    this.#endMs[interval] = closeOf(interval, last.openMs);
    return last;
  }
}

const flat = (openMs: number, price: number): Growing => ({ openMs, open: price, high: price, low: price, close: price, lots: 0 });

/** In one go now and then: a shift at each bar would move them all. */
function trim(bars: Growing[], interval: Interval): void {
  if (bars.length > MAX_KLINES[interval] * 1.25) bars.splice(0, bars.length - MAX_KLINES[interval]);
}
