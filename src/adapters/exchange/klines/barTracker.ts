// Tells from one window of bars after the other what is new: each closed bar once and in order, what came late, what was revised.

import { barsBetween, closeOf, type Interval } from '../../../model/interval.ts';
import { isSame, type BarWindow, type MarketBar } from './window.ts';

/** `bar`s come in order of time, each time once; the other kinds tell what such a stream cannot. */
export type BarEvent =
  | { readonly kind: 'bar'; readonly bar: MarketBar }
  /** A bar that was passed over as missing has come after all. */
  | { readonly kind: 'late'; readonly bar: MarketBar }
  /** A bar that was delivered has other figures now. */
  | { readonly kind: 'revised'; readonly bar: MarketBar; readonly was: MarketBar }
  /**
   * Bars are missing in front of the `bar` that follows. `notSent`: the exchange has bars around them, and not these (often there was no
   * trade). `outOfReach`: they are older than the newest rows that can be had.
   */
  | { readonly kind: 'gap'; readonly fromMs: number; readonly bars: number; readonly why: 'notSent' | 'outOfReach' };

/** Bars that are remembered, to tell late and revised ones: twice what an answer can have, as it may skip times without trade. */
const REMEMBERED = 600;

export class BarTracker {
  readonly interval: Interval;
  #lastMs: number | null = null;
  /** Rows before it are of no interest. */
  #floorMs = -Infinity;
  readonly #known = new Map<number, MarketBar>();

  /** `known`: bars that need not be delivered, oldest first, such as the newest of a catalog. */
  constructor(interval: Interval, known: readonly MarketBar[] = []) {
    this.interval = interval;
    const kept = known.slice(-REMEMBERED);
    for (const bar of kept) this.#known.set(bar.openMs, bar);
    this.#lastMs = kept.at(-1)?.openMs ?? null;
    this.#floorMs = kept[0]?.openMs ?? -Infinity;
  }

  /** The open time (ms UTC) of the newest bar; null before the first. */
  get lastMs(): number | null {
    return this.#lastMs;
  }

  /** What `window` has that was not told yet. */
  take(window: BarWindow): readonly BarEvent[] {
    const events: BarEvent[] = [];
    for (const [at, bar] of window.closed.entries()) {
      if (bar.openMs < this.#floorMs) continue;
      if (this.#lastMs === null || bar.openMs > this.#lastMs) this.#deliver(bar, at === 0 && window.isFull, events);
      else this.#compare(bar, events);
    }
    if (this.#known.size > 2 * REMEMBERED) this.#forget();
    return events;
  }

  #deliver(bar: MarketBar, isEdge: boolean, events: BarEvent[]): void {
    if (this.#lastMs === null) this.#floorMs = bar.openMs;
    else {
      const missing = barsBetween(this.interval, this.#lastMs, bar.openMs) - 1;
      const why = isEdge ? 'outOfReach' : 'notSent';
      if (missing > 0) events.push({ kind: 'gap', fromMs: closeOf(this.interval, this.#lastMs), bars: missing, why });
    }
    this.#lastMs = bar.openMs;
    this.#known.set(bar.openMs, bar);
    events.push({ kind: 'bar', bar });
  }

  #compare(bar: MarketBar, events: BarEvent[]): void {
    const was = this.#known.get(bar.openMs);
    if (!was) events.push({ kind: 'late', bar });
    // What rests on fewer bars than before is a worse view of the same bar.
    else if (isSame(was, bar) || bar.barsIn < was.barsIn) return;
    else events.push({ kind: 'revised', bar, was });
    this.#known.set(bar.openMs, bar);
  }

  #forget(): void {
    const times = [...this.#known.keys()].toSorted((a, b) => a - b);
    for (const openMs of times.slice(0, -REMEMBERED)) this.#known.delete(openMs);
    this.#floorMs = times.at(-REMEMBERED)!;
  }
}
