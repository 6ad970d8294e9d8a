// Compares successive windows of bars and reports what is new: each closed bar once and in order, late bars, and revisions.

import { barsBetween, closeOf, type Interval } from '../../../model/interval.ts';
import { isSame, type KlineWindow, type MarketBar } from './klineWindow.ts';

/** `bar` events come in time order, each time once. The other kinds report exceptions to that stream. */
export type BarEvent =
  | { readonly kind: 'bar'; readonly bar: MarketBar }
  /** A bar that was skipped as missing has arrived. */
  | { readonly kind: 'late'; readonly bar: MarketBar }
  /** A delivered bar now has other figures. */
  | { readonly kind: 'revised'; readonly bar: MarketBar; readonly was: MarketBar }
  /**
   * Bars are missing before the following `bar`. `notSent`: the venue has the bars around them but not these, often because nothing was
   * traded. `outOfReach`: they are older than the newest rows that the API returns.
   */
  | { readonly kind: 'gap'; readonly fromMs: number; readonly bars: number; readonly why: 'notSent' | 'outOfReach' };

/** Number of bars kept to detect late and revised ones. Twice the size of a reply, because replies may skip times without trades. */
const MAX_REMEMBERED_BARS = 600;

/** What is known of the bars of one instrument and interval. */
export class BarTracker {
  /** The interval of the bars. */
  readonly interval: Interval;
  #lastMs: number | null = null;
  /** Rows before this time are ignored. */
  #floorMs = -Infinity;
  readonly #known = new Map<number, MarketBar>();

  /** `knownBars`: bars that need no delivery, oldest first, such as the newest ones of a catalog. */
  constructor(interval: Interval, knownBars: readonly MarketBar[] = []) {
    this.interval = interval;
    const remembered = knownBars.slice(-MAX_REMEMBERED_BARS);
    for (const bar of remembered) this.#known.set(bar.openMs, bar);
    this.#lastMs = remembered.at(-1)?.openMs ?? null;
    this.#floorMs = remembered[0]?.openMs ?? -Infinity;
  }

  /** Open time (ms UTC) of the newest bar; null before the first. */
  get lastMs(): number | null {
    return this.#lastMs;
  }

  /** Returns what is new in `window`. */
  eventsIn(window: KlineWindow): readonly BarEvent[] {
    const events: BarEvent[] = [];
    for (const [row, bar] of window.closed.entries()) {
      if (bar.openMs < this.#floorMs) continue;
      if (this.#lastMs === null || bar.openMs > this.#lastMs) this.#deliver(bar, row === 0 && window.isFull, events);
      else this.#compare(bar, events);
    }
    if (this.#known.size > 2 * MAX_REMEMBERED_BARS) this.#forget();
    return events;
  }

  /** Adds a bar that is newer than all known ones, and the gap before it, if bars are missing. */
  #deliver(bar: MarketBar, isOldestOfFullReply: boolean, events: BarEvent[]): void {
    if (this.#lastMs === null) this.#floorMs = bar.openMs;
    else {
      const missing = barsBetween(this.interval, this.#lastMs, bar.openMs) - 1;
      const reason = isOldestOfFullReply ? 'outOfReach' : 'notSent';
      if (missing > 0) events.push({ kind: 'gap', fromMs: closeOf(this.interval, this.#lastMs), bars: missing, why: reason });
    }
    this.#lastMs = bar.openMs;
    this.#known.set(bar.openMs, bar);
    events.push({ kind: 'bar', bar });
  }

  /** Compares a bar that is not newer with the known one: it is late, revised, or the same. */
  #compare(bar: MarketBar, events: BarEvent[]): void {
    const was = this.#known.get(bar.openMs);
    if (!was) events.push({ kind: 'late', bar });
    // A bar that is built from fewer bars than before covers less of its interval.
    else if (isSame(was, bar) || bar.barsIn < was.barsIn) return;
    else events.push({ kind: 'revised', bar, was });
    this.#known.set(bar.openMs, bar);
  }

  #forget(): void {
    const times = [...this.#known.keys()].toSorted((a, b) => a - b);
    for (const openMs of times.slice(0, -MAX_REMEMBERED_BARS)) this.#known.delete(openMs);
    this.#floorMs = times.at(-MAX_REMEMBERED_BARS)!;
  }
}
